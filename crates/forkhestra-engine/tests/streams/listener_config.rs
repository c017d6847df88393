//! Tests of futile agents, and of other effects of the listener's configuration.

use forkhestra_core::config::{Backend, Billing};
use forkhestra_core::event::OutcomeClass;
use forkhestra_engine::agent::ListenerConfig;

use crate::corpus::cases;
use crate::listener_result::{ListenerResult, in_a_loop, listen};

fn listened(name: &str, rules: ListenerConfig) -> ListenerResult {
    let case = cases().into_iter().find(|case| case.name == name).expect("the stream is there");
    listen(crate::listener_result::backend(name), rules, &case.stream(), &[1000])
}

/// All reports that the agent is futile.
fn futile(result: &ListenerResult) -> Vec<&str> {
    result.notices.iter().filter_map(|line| line.strip_prefix("=> futile: ")).collect()
}

#[test]
fn a_turn_limit_is_reported_once_and_the_marker_does_not_count() {
    for name in ["codex_done", "gemini_done_in_one_piece", "opencode_done"] {
        let rules = |max_turns| ListenerConfig { max_turns, ..in_a_loop() };
        let within = listened(name, rules(Some(2)));
        assert_eq!(futile(&within), [""; 0], "{name}");
        assert!(within.findings.marker_match.is_some(), "{name}");
        let beyond = listened(name, rules(Some(1)));
        assert_eq!(futile(&beyond), ["turn_limit: it took all the turns it may take (1)"]);
        assert_eq!(beyond.findings.marker_match, None, "{name}");
        let class = beyond.findings.outcome.map(|outcome| outcome.class);
        assert_eq!(class, Some(OutcomeClass::TurnLimit), "{name}");
        assert!(beyond.notices.contains(&"=> concluded".to_owned()), "without the marker");
    }
}

#[test]
fn tools_of_one_answer_are_one_turn() {
    let codex = |how: &str, kind: &str, id: u32| {
        format!(
            r#"{{"type":"item.{how}","item":{{"id":"item_{id}","type":"{kind}","exit_code":0}}}}"#
        )
    };
    let [started, completed] =
        ["started", "completed"].map(|how| move |id| codex(how, "command_execution", id));
    let output = |id| codex("completed", "agent_message", id);
    let thought = |id| codex("completed", "reasoning", id);
    let gemini = |kind: &str, id: u32| format!(r#"{{"type":"{kind}","tool_id":"{id}"}}"#);
    let text = || r#"{"type":"message","role":"assistant","content":"x"}"#.to_owned();
    for (backend, turns, stream) in [
        (Backend::Codex, 1, vec![started(1), completed(1), started(2), completed(2)]),
        (Backend::Codex, 1, vec![output(1), started(2), started(3), completed(3), completed(2)]),
        (Backend::Codex, 2, vec![started(1), completed(1), started(2), completed(2), output(3)]),
        (Backend::Codex, 2, vec![thought(1), started(2), completed(2), thought(3), output(4)]),
        (Backend::Codex, 1, vec![thought(1), output(2), output(3)]),
        (Backend::Codex, 1, vec![codex("started", "todo_list", 1), started(2), completed(2)]),
        (Backend::Codex, 3, vec![output(1), completed(2), output(3), completed(4), output(5)]),
        (
            Backend::Gemini,
            2,
            vec![
                text(),
                gemini("tool_use", 1),
                gemini("tool_use", 2),
                gemini("tool_result", 1),
                gemini("tool_result", 2),
                gemini("tool_use", 3),
                gemini("tool_result", 3),
            ],
        ),
    ] {
        let stream = stream.join("\n");
        let result = listen(backend, in_a_loop(), stream.as_bytes(), &[100]);
        assert_eq!(result.findings.activity.turns, turns, "{stream}");
    }
}

#[test]
fn unwanted_billing_is_detected_in_the_first_event() {
    let futile_for = |name, billing| {
        let result = listened(name, ListenerConfig { billing, ..in_a_loop() });
        futile(&result).join("\n")
    };
    let (key, login) = ("claude_done", "claude_done_though_denied");
    assert_eq!(
        futile_for(key, Billing::Subscription),
        "billing: it would pay with an API key (ANTHROPIC_API_KEY), and a subscription is wanted"
    );
    assert_eq!(
        futile_for(login, Billing::ApiKey),
        "billing: it has no API key and would use a subscription, and an API key is wanted"
    );
    for (name, billing) in [
        (key, Billing::Any),
        (key, Billing::ApiKey),
        (login, Billing::Any),
        (login, Billing::Subscription),
        ("codex_done", Billing::Subscription),
    ] {
        assert_eq!(futile_for(name, billing), "", "{name} {billing:?}");
    }
}

#[test]
fn an_authentication_error_is_not_retried() {
    let retry = |status: &str| {
        format!(
            r#"{{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":576,"error_status":{status},"error":"authentication_failed"}}"#
        )
    };
    for (status, times) in [("401", 1), ("403", 1), ("429", 0), ("null", 0)] {
        let stream = format!("{0}\n{0}\n", retry(status));
        let result = listen(Backend::Claude, in_a_loop(), stream.as_bytes(), &[50]);
        let message = format!("authentication: HTTP {status}: authentication_failed");
        assert_eq!(futile(&result), vec![message; times], "{status}");
        assert_eq!(result.findings.activity.retries, 2, "{status}");
    }
    let stream = r#"{"type":"error","message":"Reconnecting... 1/5 (unexpected status 401 Unauthorized: invalid x-api-key)"}"#;
    let result = listen(Backend::Codex, in_a_loop(), stream.as_bytes(), &[50]);
    let expected = "authentication: unexpected status 401 Unauthorized: invalid x-api-key";
    assert_eq!(futile(&result), [expected]);
}

#[test]
fn an_endless_compaction_is_futile_and_a_single_one_is_not() {
    let looping = listened("opencode_compaction_loop", in_a_loop());
    assert_eq!(futile(&looping), ["context_too_long: Input exceeds context window"]);
    let single = listened("opencode_context_too_long", in_a_loop());
    assert_eq!(futile(&single), [""; 0]);
}

#[test]
fn without_marker_search_no_marker_is_found() {
    for name in ["claude_done", "codex_stand_in_that_echoes"] {
        let rules = ListenerConfig { looks_for_markers: false, ..in_a_loop() };
        assert_eq!(listened(name, rules).findings.marker_match, None, "{name}");
    }
}

#[test]
fn an_uncounted_cost_is_unknown_and_not_free() {
    let spent = |name| {
        let result = listened(name, in_a_loop());
        let last = result.notices.iter().rev().find(|line| line.starts_with("=> spent"));
        last.cloned().unwrap_or_default()
    };
    for name in ["codex_marker_in_truncated_stream", "gemini_marker_and_silent_interrupt"] {
        assert!(spent(name).ends_with(": unknown"), "{name}: {}", spent(name));
    }
    assert_eq!(spent("codex_usage_limit"), "", "no model answered");
    assert_eq!(spent("claude_stand_in_that_echoes"), "");
}

#[test]
fn nothing_is_called_unknown_that_was_counted() {
    const NOTHING: &str = "=> spent 0 in, 0 out, 0 read, 0 written: unknown";
    let mut unknown = 0;
    for case in cases() {
        let all_notices = listened(&case.name, in_a_loop()).notices;
        let spent: Vec<&String> =
            all_notices.iter().filter(|one| one.starts_with("=> spent")).collect();
        if spent.iter().any(|one| *one == NOTHING) {
            assert_eq!(spent, [NOTHING], "{}", case.name);
            unknown += 1;
        }
    }
    assert!(unknown > 3, "{unknown} streams tell of nothing");
    // A total of zero does not reset the counted usage.
    let stream = concat!(
        r#"{"type":"assistant","message":{"id":"m","model":"claude-sonnet-5-5","content":[],"#,
        r#""usage":{"input_tokens":7}}}"#,
        "\n",
        r#"{"type":"result","subtype":"error_during_execution","is_error":true,"total_cost_usd":0}"#,
    );
    let result = listen(Backend::Claude, in_a_loop(), stream.as_bytes(), &[100]);
    let spent = result.notices.iter().filter(|line| line.starts_with("=> spent")).count();
    assert_eq!(spent, 1, "{:#?}", result.notices);
}
