//! What counts as progress, and when a tool runs.

use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::{Notice, ProgressGauge, Rules, listener};

/// Whether each of these lines is progress, and whether a tool runs after it.
fn watch(backend: Backend, lines: &[(&str, bool, bool)]) {
    let progress: Arc<ProgressGauge> = Arc::default();
    let rules = Rules { progress: Arc::clone(&progress), ..Rules::default() };
    let mut listener = listener(backend, rules).expect("the markers are right");
    for (line, is_progress, is_tool_running) in lines {
        // Time that passes is what tells: progress begins it anew.
        let mut before = progress.since_progress();
        while before < Duration::from_millis(3) {
            before = progress.since_progress();
        }
        listener.feed(format!("{line}\n").as_bytes(), &mut |_| {});
        let after = progress.since_progress();
        assert_eq!(after < before, *is_progress, "{backend:?}: {line}");
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

/// It shows tools when they are done. That they run is said by its plugin, on the other stream.
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

#[test]
fn a_wait_that_is_announced_is_no_time_without_progress() {
    let progress: Arc<ProgressGauge> = Arc::default();
    let rules = Rules { progress: Arc::clone(&progress), ..Rules::default() };
    let mut listener = listener(Backend::Claude, rules).expect("the markers are right");
    let retry = |delay: u64| {
        format!(
            "{{\"type\":\"system\",\"subtype\":\"api_retry\",\"retry_delay_ms\":{delay},\"error\":\"overloaded\",\"error_status\":529}}\n"
        )
    };
    while progress.since_progress() < Duration::from_millis(2) {}
    listener.feed(retry(3_600_000).as_bytes(), &mut |_| {});
    assert_eq!(progress.since_progress(), Duration::ZERO);
}

#[test]
fn a_request_without_an_answer_says_so() {
    let mut listener = listener(Backend::Claude, Rules::default()).expect("the markers are right");
    let mut unanswered = |error: &str, status: &str| {
        let line = format!(
            "{{\"type\":\"system\",\"subtype\":\"api_retry\",\"error\":\"{error}\",\"error_status\":{status}}}\n"
        );
        let mut found = Vec::new();
        listener.feed(line.as_bytes(), &mut |notice| {
            if let Notice::Said(event) = notice
                && let forkhestra_engine::agent::event::AgentEventKind::Retry(retry) = event.kind
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
