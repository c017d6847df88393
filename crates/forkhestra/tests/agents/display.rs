//! What the terminal shows while an agent works, and what `logs` shows afterwards.

use serde_json::json;

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

fn display_sample() -> ScriptedStream {
    ScriptedStream::new()
        .thinks("I wonder.")
        .says("I will run the tests.")
        .runs("cargo test", "test result: ok")
        .retries(529, "overloaded")
        .says("All is well.\nFORKHESTRA_COMPLETE")
        .succeeds(0.01)
}

#[test]
fn text_is_shown_in_full_and_tools_in_one_line() {
    let world = AgentProject::new(&[display_sample()]);
    let said = world.run(&["worker:2"]).stdout;
    assert!(said.contains("I will run the tests.\n● Bash  cargo test\n"), "{said}");
    assert!(said.contains("All is well.\nFORKHESTRA_COMPLETE\n"), "{said}");
    assert!(said.contains("529"), "{said}");
    assert!(!said.contains("I wonder") && !said.contains("test result"), "{said}");
    assert!(!said.contains("\"type\""), "no JSON is shown: {said}");
}

#[test]
fn verbose_shows_everything_and_quiet_shows_nothing() {
    let world = AgentProject::new(&[display_sample()]);
    let said = world.run(&["worker:2", "-v"]).stdout;
    assert!(said.contains("I wonder") && said.contains("test result: ok"), "{said}");
    assert!(said.contains("message 4") || said.contains("message 3"), "{said}");
    let said = world.run(&["worker:2", "--quiet"]).stdout;
    assert!(!said.contains("All is well"), "{said}");
}

#[test]
fn the_log_keeps_the_stream_and_replays_the_display() {
    let world = AgentProject::new(&[display_sample()]);
    let seen = world.run(&["worker:2"]).stdout;
    let raw = world.run(&["logs", "--raw"]).success();
    assert_eq!(raw, display_sample().text());
    let shown = world.run(&["logs"]).success();
    assert!(shown.contains("I will run the tests.\n● Bash  cargo test\n"), "{shown}\n{seen}");
    assert!(!shown.contains("\"type\""), "{shown}");
}

#[test]
fn a_denied_tool_is_shown_with_the_rule_that_allows_it() {
    let denied = || {
        let denial = json!({
            "type": "system", "subtype": "permission_denied", "tool_name": "Bash",
            "tool_use_id": "toolu_1", "message": "Permission to use Bash has been denied.",
        });
        ScriptedStream::new().runs("rm -rf build", "").line(&denial).says("Well.").succeeds(0.01)
    };
    let config = |fields: &str| {
        let worker = format!(r#"{{ "systemPromptText": "", "permissions": "default"{fields} }}"#);
        format!(r#"{{ "agents": {{ "worker": {worker} }}, "chains": {{}} }}"#)
    };
    for (fields, expected) in [
        ("", "allow it in the settings of `claude`, or give the agent \"permissions\": \"skip\""),
        (r#", "allowedTools": ["Read"]"#, r#"add "Bash(rm -rf build:*)" to its allowedTools"#),
        (r#", "disallowedTools": ["Bash(rm *)"]"#, r#"its own disallowedTools have "Bash(rm *)""#),
    ] {
        let world = AgentProject::with_config(&config(fields), &[denied()]);
        let expected = format!("denied.)\n  {expected}\n");
        let said = world.run(&["worker:1"]).stdout;
        assert!(said.contains(&expected), "{said}");
        let shown = world.run(&["logs"]).success();
        assert!(shown.contains(&expected), "{shown}");
    }
}

#[test]
fn agent_text_cannot_control_the_terminal() {
    let world = AgentProject::new(&[ScriptedStream::new()
        .runs("ls", "")
        .says("\u{1b}[2J\u{1b}]0;title\u{7}gone\nFORKHESTRA_COMPLETE")
        .succeeds(0.01)]);
    let said = world.run(&["worker:2"]).stdout;
    assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
}
