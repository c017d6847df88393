//! Lists of tools.

use super::*;

fn of(backend: &str, key: &str, tool: &str) -> String {
    agent(&format!(
        "\"systemPromptText\": \"\", \"backend\": \"{backend}\", \"{key}\": [\"x\", \"{tool}\"]"
    ))
}

#[test]
fn an_entry_that_its_program_would_not_keep_to_is_refused() {
    let (allowed, disallowed) = ("allowedTools", "disallowedTools");
    for (backend, key, tool, expected) in [
        ("gemini", allowed, "run_shell_command(git log)", None),
        ("gemini", allowed, "write_file", None),
        ("gemini", allowed, "write_file(docs)", Some("`write_file` has no patterns in Gemini CLI")),
        (
            "gemini",
            disallowed,
            "run_shell_command(rm *)",
            Some("`rm *` is not how a command begins"),
        ),
        (
            "gemini",
            disallowed,
            "run_shell_command(git * log)",
            Some("`git * log` is not how a command begins"),
        ),
        ("gemini", disallowed, "Write", Some("`Write` is a tool of Claude Code")),
        ("opencode", allowed, "bash", None),
        ("opencode", allowed, "edit(docs/*)", None),
        ("opencode", disallowed, "bash(rm *)", None),
        ("opencode", disallowed, "task", None),
        ("opencode", allowed, "mcp_*", None),
        ("opencode", allowed, "bash(git *)", Some("opencode does not keep `bash` to a pattern")),
        ("opencode", allowed, "b*(git *)", Some("opencode does not keep `b*` to a pattern")),
        ("opencode", allowed, "task", Some("opencode's subagents do not keep to this list")),
        (
            "opencode",
            allowed,
            "task(general)",
            Some("opencode's subagents do not keep to this list"),
        ),
        ("opencode", disallowed, "Bash(rm *)", Some("`Bash` is a tool of Claude Code")),
        ("claude", allowed, "Bash(git *)", None),
        ("claude", disallowed, "task", None),
    ] {
        let text = of(backend, key, tool);
        match expected {
            None => drop(good(&text)),
            Some(why) => check_message(&text, &format!("`agents.a.{key}[1]`: {why}")),
        }
    }
}

#[test]
fn a_tool_of_another_program_suggests_the_equivalent() {
    for (backend, tool, hint) in [
        ("gemini", "Bash(git *)", "Gemini CLI calls it `run_shell_command`"),
        ("opencode", "Write", "opencode calls it `write`"),
    ] {
        let parsed = read("c", of(backend, "allowedTools", tool).into_bytes());
        assert_eq!(parsed.diagnostics[0].hints, [hint]);
    }
}

fn with_tools(list: &str) -> String {
    agent(&format!("\"systemPromptText\": \"\", \"allowedTools\": {list}"))
}

#[test]
fn a_list_of_tools_may_be_empty_and_hold_patterns() {
    for list in ["[]", "[\"Read\"]", "[\"Read\", \"Bash(git *)\", \"Bash(echo a, b)\"]"] {
        let config = good(&with_tools(list));
        let (_, entry) = config.agent("a").expect("the agent is there");
        assert!(entry.allowed_tools.is_some());
    }
}

#[test]
fn an_entry_with_two_tools_points_at_the_entry_and_shows_both() {
    let text = with_tools("[\"Glob\", \"Read, Bash(git *)\"]");
    assert_eq!(
        shown(&text),
        ["1:82 \"Read, Bash(git *)\" | `agents.a.allowedTools[1]` names more than one tool"]
    );
    let hints = &read("c", text.into_bytes()).diagnostics[0].hints;
    assert_eq!(hints, &["write one entry for each: \"Read\", \"Bash(git *)\""]);
}

#[test]
fn an_invalid_tool_is_refused() {
    let table = [
        ("[1]", "`agents.a.allowedTools[0]` must be the name of a tool, found the number 1"),
        ("[\"\"]", "`agents.a.allowedTools[0]` must be a name, found an empty string"),
        ("[\" Read\"]", "`agents.a.allowedTools[0]` must not begin or end with white space"),
        ("[\"Bash(\"]", "`agents.a.allowedTools[0]` does not end with its closing parenthesis"),
        ("{}", "`agents.a.allowedTools` must be an array, found an object"),
    ];
    for (list, expected) in table {
        check_message(&with_tools(list), expected);
    }
    check_message(
        &agent("\"systemPromptText\": \"\", \"disallowedTools\": [\"Read,Write\"]"),
        "`agents.a.disallowedTools[0]` names more than one tool",
    );
}
