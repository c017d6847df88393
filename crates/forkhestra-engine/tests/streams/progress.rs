//! Tests of progress and running tools.

use std::sync::Arc;

use forkhestra_core::config::Backend;
use forkhestra_core::event::OutcomeClass;
use forkhestra_engine::agent::{ListenerConfig, ProgressGauge, StreamFact, StreamNotice, listener};

/// Checks for each line whether it is progress, and whether a tool runs after it.
fn watch(backend: Backend, lines: &[(&str, bool, bool)]) {
    let progress: Arc<ProgressGauge> = Arc::default();
    let rules = ListenerConfig { progress: Arc::clone(&progress), ..ListenerConfig::default() };
    let mut listener = listener(backend, rules).expect("the markers are right");
    for (line, is_progress, is_tool_running) in lines {
        let before = progress.advances();
        listener.feed(format!("{line}\n").as_bytes(), &mut |_| {});
        assert_eq!(progress.advances() > before, *is_progress, "{backend:?}: {line}");
        assert_eq!(progress.is_tool_running(), *is_tool_running, "{backend:?}: {line}");
        assert!(progress.is_understood(), "{backend:?}: {line}");
    }
}

#[test]
fn of_claude_code() {
    let call = r#"{"type":"assistant","message":{"id":"m1","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}"#;
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#;
    let task = r#"{"type":"assistant","message":{"id":"m2","model":"m","content":[{"type":"tool_use","id":"t2","name":"Task","input":{}}]}}"#;
    let nested = r#"{"type":"assistant","parent_tool_use_id":"t2","message":{"id":"n1","model":"m","content":[{"type":"text","text":"I look."}]}}"#;
    let nested_piece = r#"{"type":"stream_event","parent_tool_use_id":"t2","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}}"#;
    watch(
        Backend::Claude,
        &[
            (r#"{"type":"system","subtype":"init","session_id":"s"}"#, false, false),
            (r#"{"type":"system","subtype":"status","status":"requesting"}"#, false, false),
            (
                r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":0,"error":"unknown"}"#,
                false,
                false,
            ),
            (
                r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","model":"m","usage":{"input_tokens":9}}}}"#,
                false,
                false,
            ),
            (r#"{"type":"stream_event","event":{"type":"ping"}}"#, false, false),
            (
                r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"a"}}}"#,
                true,
                false,
            ),
            (
                r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}}"#,
                true,
                false,
            ),
            (r#"{"type":"system","subtype":"thinking_tokens"}"#, true, false),
            (call, true, true),
            (r#"{"type":"system","subtype":"ui_invalidate"}"#, false, true),
            (result, true, false),
            (task, true, true),
            (nested, true, true),
            (nested_piece, true, true),
            (
                r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning"}}"#,
                false,
                true,
            ),
            (r#"{"type":"system","subtype":"something_new"}"#, false, true),
            (r#"{"type":"result","subtype":"success","result":"x"}"#, true, false),
        ],
    );
}

#[test]
fn of_codex() {
    watch(
        Backend::Codex,
        &[
            (r#"{"type":"thread.started","thread_id":"t"}"#, false, false),
            (r#"{"type":"turn.started"}"#, false, false),
            (r#"{"type":"error","message":"Reconnecting... 1/5 (timeout)"}"#, false, false),
            (
                r#"{"type":"item.completed","item":{"id":"0","type":"reasoning","text":"x"}}"#,
                true,
                false,
            ),
            (
                r#"{"type":"item.started","item":{"id":"1","type":"command_execution","command":"ls","status":"in_progress"}}"#,
                true,
                true,
            ),
            (
                r#"{"type":"item.completed","item":{"id":"1","type":"command_execution","command":"ls","exit_code":0,"status":"completed"}}"#,
                true,
                false,
            ),
            (r#"{"type":"item.completed","item":{"id":"2","type":"something_new"}}"#, true, false),
            (
                r#"{"type":"item.completed","item":{"id":"3","type":"error","message":"no"}}"#,
                false,
                false,
            ),
            (r#"{"type":"turn.completed","usage":{"input_tokens":1}}"#, true, false),
        ],
    );
}

#[test]
fn of_gemini_cli() {
    watch(
        Backend::Gemini,
        &[
            (r#"{"type":"init","session_id":"s","model":"m"}"#, false, false),
            (r#"{"type":"message","role":"user","content":"x"}"#, false, false),
            (r#"{"type":"message","role":"assistant","content":"x","delta":true}"#, true, false),
            (
                r#"{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t","parameters":{}}"#,
                true,
                true,
            ),
            (
                r#"{"type":"tool_result","tool_id":"t","status":"success","output":"x"}"#,
                true,
                false,
            ),
            (r#"{"type":"error","severity":"warning","message":"x"}"#, false, false),
            (r#"{"type":"result","status":"success"}"#, true, false),
        ],
    );
}

/// opencode reports tools when they are completed. Its plugin reports running tools on the other
/// stream.
#[test]
fn of_opencode() {
    watch(
        Backend::Opencode,
        &[
            (r#"{"type":"step_start","sessionID":"s","part":{}}"#, false, false),
            (r#"{"type":"reasoning","sessionID":"s","part":{"text":"x"}}"#, true, false),
            (
                r#"{"type":"tool_use","sessionID":"s","part":{"tool":"bash","callID":"c","state":{"status":"completed"}}}"#,
                true,
                false,
            ),
            (
                r#"{"type":"step_finish","sessionID":"s","part":{"reason":"tool-calls"}}"#,
                true,
                false,
            ),
            (r#"{"type":"text","sessionID":"other","part":{"text":"x"}}"#, true, false),
        ],
    );
}

/// The time for which an announced wait is excused is tested in `progress_times`.
#[test]
fn a_long_wait_that_claude_code_announces_is_a_usage_limit() {
    for (delay, expected) in [
        (600_000, None),
        (600_001, Some(OutcomeClass::UsageLimit)),
        (3_600_000, Some(OutcomeClass::UsageLimit)),
    ] {
        let mut listener =
            listener(Backend::Claude, ListenerConfig::default()).expect("the markers are right");
        let retry = format!(
            "{{\"type\":\"system\",\"subtype\":\"api_retry\",\"retry_delay_ms\":{delay},\"error\":\"rate_limit\",\"error_status\":429}}\n"
        );
        let mut futile = None;
        listener.feed(retry.as_bytes(), &mut |notice| {
            if let StreamNotice::Fact(StreamFact::Futile(outcome)) = notice {
                futile = Some(outcome);
            }
        });
        assert_eq!(futile.as_ref().map(|outcome| outcome.class), expected, "{delay}");
        let Some(outcome) = futile else { continue };
        assert!(outcome.resets.is_some(), "{outcome:?}");
        assert_eq!(outcome.message.as_deref(), Some("rate_limit (429)"));
    }
}

/// A background command goes on while the model answers again.
#[test]
fn a_command_of_codex_that_outlives_an_answer_still_runs() {
    let item = |event: &str, id: &str, rest: &str| {
        format!(r#"{{"type":"item.{event}","item":{{"id":"{id}",{rest}}}}}"#)
    };
    let running = r#""type":"command_execution","command":"make","status":"in_progress""#;
    let done = r#""type":"command_execution","command":"make","exit_code":0,"status":"completed""#;
    let output = r#""type":"agent_message","text":"It builds.""#;
    let thought = r#""type":"reasoning","text":"x""#;
    let lines = [
        (item("started", "1", running), true, true),
        (item("started", "2", running), true, true),
        (item("completed", "2", done), true, true),
        (item("completed", "3", output), true, true),
        (item("completed", "4", thought), true, true),
        (item("completed", "1", done), true, false),
    ];
    let lines: Vec<_> = lines.iter().map(|(line, is, runs)| (line.as_str(), *is, *runs)).collect();
    watch(Backend::Codex, &lines);
}

/// A background subagent goes on while the main agent answers again.
#[test]
fn a_call_of_a_subagent_outlives_an_answer_of_the_main_agent() {
    let call = |message: &str, parent: &str, id: &str| {
        format!(
            r#"{{"type":"assistant",{parent}"message":{{"id":"{message}","model":"m","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}]}}}}"#
        )
    };
    let result = |parent: &str, id: &str| {
        format!(
            r#"{{"type":"user",{parent}"message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}}}"#
        )
    };
    let nested = r#""parent_tool_use_id":"t1","#;
    let text = r#"{"type":"assistant","message":{"id":"m2","model":"m","content":[{"type":"text","text":"Next."}]}}"#;
    let lines = [
        (call("m1", "", "t1"), true, true),
        (result("", "t1"), true, false),
        (call("n1", nested, "t2"), true, true),
        (text.to_owned(), true, true),
        (result(nested, "t2"), true, false),
    ];
    let lines: Vec<_> = lines.iter().map(|(line, is, runs)| (line.as_str(), *is, *runs)).collect();
    watch(Backend::Claude, &lines);
}

#[test]
fn a_request_without_a_response_is_reported() {
    let mut listener =
        listener(Backend::Claude, ListenerConfig::default()).expect("the markers are right");
    let mut unanswered = |error: &str, status: &str| {
        let line = format!(
            "{{\"type\":\"system\",\"subtype\":\"api_retry\",\"error\":\"{error}\",\"error_status\":{status}}}\n"
        );
        let mut found = Vec::new();
        listener.feed(line.as_bytes(), &mut |notice| {
            if let StreamNotice::AgentEvent(event) = notice
                && let forkhestra_engine::agent::stream::agent_event::AgentEventKind::Retry(retry) =
                    event.kind
            {
                found.push(retry.unanswered.is_some());
            }
        });
        found
    };
    assert_eq!(unanswered("unknown", "null"), [true]);
    assert_eq!(unanswered("overloaded", "529"), [false]);
    assert_eq!(unanswered("unknown", "500"), [false]);
}
