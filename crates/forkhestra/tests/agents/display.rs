//! What the terminal shows while an agent works, and what `logs` shows afterwards.

use serde_json::json;

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

fn display_sample() -> ScriptedStream {
    ScriptedStream::new()
        .thinks("I wonder.")
        .model_message("I will run the tests.")
        .runs("cargo test", "test result: ok")
        .retries(529, "overloaded")
        .model_message("All is well.\nFORKHESTRA_COMPLETE")
        .succeeds(0.01)
}

#[test]
fn text_is_shown_in_full_and_tools_in_one_line() {
    let project = AgentProject::new(&[display_sample()]);
    let output = project.run(&["worker:2"]).stdout;
    assert!(output.contains("I will run the tests.\n● Bash  cargo test\n"), "{output}");
    assert!(output.contains("All is well.\nFORKHESTRA_COMPLETE\n"), "{output}");
    assert!(output.contains("529"), "{output}");
    assert!(!output.contains("I wonder") && !output.contains("test result"), "{output}");
    assert!(!output.contains("\"type\""), "no JSON is shown: {output}");
}

#[test]
fn verbose_shows_everything_and_quiet_shows_nothing() {
    let project = AgentProject::new(&[display_sample()]);
    let output = project.run(&["worker:2", "-v"]).stdout;
    assert!(output.contains("I wonder") && output.contains("test result: ok"), "{output}");
    assert!(output.contains("message 4") || output.contains("message 3"), "{output}");
    let output = project.run(&["worker:2", "--quiet"]).stdout;
    assert!(!output.contains("All is well"), "{output}");
}

#[test]
fn the_log_keeps_the_stream_and_replays_the_display() {
    let project = AgentProject::new(&[display_sample()]);
    let seen = project.run(&["worker:2"]).stdout;
    let raw = project.run(&["logs", "--raw"]).success();
    assert_eq!(raw, display_sample().text());
    let shown = project.run(&["logs"]).success();
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
        ScriptedStream::new()
            .runs("rm -rf build", "")
            .line(&denial)
            .model_message("Well.")
            .succeeds(0.01)
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
        let project = AgentProject::with_config(&config(fields), &[denied()]);
        let expected = format!("denied.)\n  {expected}\n");
        let output = project.run(&["worker:1"]).stdout;
        assert!(output.contains(&expected), "{output}");
        let shown = project.run(&["logs"]).success();
        assert!(shown.contains(&expected), "{shown}");
    }
}

#[test]
fn agent_text_cannot_control_the_terminal() {
    let project = AgentProject::new(&[ScriptedStream::new()
        .runs("ls", "")
        .model_message("\u{1b}[2J\u{1b}]0;title\u{7}gone\nFORKHESTRA_COMPLETE")
        .succeeds(0.01)]);
    let output = project.run(&["worker:2"]).stdout;
    assert!(!output.contains('\u{1b}') && !output.contains('\u{7}'), "{output:?}");
}
