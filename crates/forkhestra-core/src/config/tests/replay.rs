//! Agents that replay a recording.

use super::*;

fn of(members: &str) -> String {
    agent(&format!("\"backend\": \"replay\"{members}"))
}

/// Expects one error: its message, and the text under its caret.
#[track_caller]
fn bad(text: &str, message: &str, under: &str) {
    let found = shown(text);
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    assert!(found[0].ends_with(&format!(" {under} | {message}")), "{text}: {found:#?}");
}

#[test]
fn a_recording_needs_no_system_prompt() {
    for members in [
        "",
        r#", "speed": 10"#,
        r#", "speed": 0.5"#,
        r#", "speed": "max""#,
        r#", "defaultPrompt": "x""#,
    ] {
        let config = good(&of(&format!(r#", "recording": "rec"{members}"#)));
        let entry = config.agent("a").expect("it is there").1;
        assert_eq!(entry.replayed().expect("it is one").value.0, "rec");
        assert!(entry.defines_agent() && !entry.is_direct_spawn(), "{members}");
    }
}

#[test]
fn a_recording_without_a_name_is_an_error() {
    bad(&of(""), "`agents.a` has the backend `replay` but no `recording`", "\"replay\"");
}

#[test]
fn settings_without_effect_on_a_recording_are_refused() {
    for (key, value) in [
        ("systemPrompt", "\"p.md\""),
        ("systemPromptText", "\"\""),
        ("command", "\"c\""),
        ("args", "[]"),
        ("env", "{}"),
        ("model", "\"sonnet\""),
        ("maxTurns", "3"),
        ("allowedTools", "[]"),
        ("permissions", "\"skip\""),
        ("billing", "\"any\""),
    ] {
        let message = format!("`agents.a.{key}` cannot be honoured by the backend `replay`");
        bad(&of(&format!(r#", "recording": "rec", "{key}": {value}"#)), &message, value);
    }
}

#[test]
fn recording_settings_are_refused_for_other_agents() {
    for (key, value) in [("recording", "\"rec\""), ("speed", "1")] {
        let message = format!("`agents.a` has `{key}` but not the backend `replay`");
        bad(&agent(&format!("\"systemPromptText\": \"\", \"{key}\": {value}")), &message, value);
    }
}

#[test]
fn wrong_speeds_have_their_place() {
    let speed = "`agents.a.speed` is not a speed: write 1, 0.5, 20 or max";
    for value in ["0", "-1", "1.234", "\"fast\"", "\"0\""] {
        bad(&of(&format!(r#", "recording": "rec", "speed": {value}"#)), speed, value);
    }
    bad(
        &of(r#", "recording": "rec", "speed": true"#),
        "`agents.a.speed` must be a number such as 10, or \"max\", found `true`",
        "true",
    );
}

#[test]
fn faults_are_an_unknown_key_with_a_hint() {
    let text = of(r#", "recording": "rec", "faults": ["hang"]"#);
    check_message(&text, "unknown key `agents.a.faults`");
    let parsed = read("c", text.into_bytes());
    assert_eq!(parsed.diagnostics[0].hints, ["fault injection was removed: delete `faults`"]);
}
