//! Tools and paths that agents may not use.

use serde_json::json;
use testkit::{AgentClient, ModelTurn};

use super::real_agent_project::RealAgentProject;

#[test]
fn a_planner_that_may_only_read_writes_nothing_although_permissions_are_skipped() {
    let turns = vec![
        ModelTurn::text("I will write.")
            .tool("Write", json!({ "file_path": "made.txt", "content": "hi" }))
            .shell(AgentClient::Claude, "echo hi > made.txt"),
        ModelTurn::text("Planned.\nFORKHESTRA_COMPLETE"),
    ];
    let fields = json!({ "allowedTools": ["Read", "Grep"] });
    let Some(stage) = RealAgentProject::with(AgentClient::Claude, &fields, turns) else { return };
    let output = stage.run(&["worker:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!stage.world.env.has("made.txt"), "{output}");
    let request = &stage.server.main_requests()[0].body;
    let tools: Vec<&str> = request["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(tools.contains(&"Read") && !tools.contains(&"Write"), "{tools:?}");
}

#[test]
fn commands_that_are_not_allowed_are_denied_and_the_rule_to_add_is_shown() {
    let turns = vec![
        ModelTurn::text("I will write.").shell(AgentClient::Claude, "echo hi > made.txt"),
        ModelTurn::text("And look.").shell(AgentClient::Claude, "git --version"),
        ModelTurn::text("Planned.\nFORKHESTRA_COMPLETE"),
    ];
    let fields = json!({ "allowedTools": ["Read", "Bash(git *)"] });
    let Some(stage) = RealAgentProject::with(AgentClient::Claude, &fields, turns) else { return };
    let output = stage.run(&["worker:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!stage.world.env.has("made.txt"), "{output}");
    assert!(output.stdout.contains("allowedTools"), "{output}");
    let report = &stage.world.all("iteration_finished")[0];
    assert_eq!(report["heard"]["activity"]["denials"], 1, "{report}");
}

/// The tools in the first request to the model.
fn offered_tools(stage: &RealAgentProject) -> Vec<String> {
    let request = &stage.server.main_requests()[0].body;
    let tools = request["tools"].as_array().into_iter().flatten();
    // Each protocol has its own field for the name.
    let names = tools.flat_map(|tool| match tool["functionDeclarations"].as_array() {
        Some(functions) => functions.iter().map(|function| function["name"].clone()).collect(),
        None => vec![tool["function"]["name"].clone()],
    });
    let mut names: Vec<String> =
        names.filter_map(|name| name.as_str().map(str::to_owned)).collect();
    names.sort();
    names
}

/// Allows Gemini CLI everything, in the settings of the user and of the project.
fn allow_everything_to_gemini(stage: &RealAgentProject) {
    let rules = ["write_file", "run_shell_command"].map(|tool| {
        format!("[[rule]]\ntoolName = \"{tool}\"\ndecision = \"allow\"\npriority = 999\n")
    });
    let path = ".gemini/policies/all.toml";
    stage.world.env.write(path, rules.concat()).write_home(path, rules.concat());
}

#[test]
fn a_gemini_planner_writes_nothing_even_if_the_user_allows_it() {
    let turns = vec![
        ModelTurn::text("I will write.")
            .tool("write_file", json!({ "file_path": "made.txt", "content": "hi" }))
            .shell(AgentClient::Gemini, "echo hi > made.txt"),
        ModelTurn::text("Planned.\nFORKHESTRA_COMPLETE"),
    ];
    let fields = json!({ "allowedTools": ["read_file", "glob"] });
    let Some(stage) = RealAgentProject::with(AgentClient::Gemini, &fields, turns) else { return };
    allow_everything_to_gemini(&stage);
    let output = stage.run(&["worker:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!stage.world.env.has("made.txt"), "{output}");
    assert_eq!(offered_tools(&stage), ["glob", "read_file"]);
}

#[test]
fn gemini_runs_the_commands_that_are_allowed_and_no_others() {
    let denied = [
        "echo hi > made.txt",
        "git --version > made.txt",
        "git --version; echo hi > made.txt",
        "git $(touch made.txt) --version",
        "git --version | tee made.txt",
        "> made.txt",
        "gitk > made.txt",
    ];
    let mut turn = ModelTurn::text("I will try.");
    for command in denied {
        turn = turn.shell(AgentClient::Gemini, command);
    }
    let turn = turn
        .shell(AgentClient::Gemini, "git init repository")
        .tool("write_file", json!({ "file_path": "allowed.txt", "content": "hi" }));
    let turns = vec![turn, ModelTurn::text("Planned.\nFORKHESTRA_COMPLETE")];
    let fields = json!({ "allowedTools": ["write_file", "run_shell_command(git)"] });
    let Some(stage) = RealAgentProject::with(AgentClient::Gemini, &fields, turns) else { return };
    allow_everything_to_gemini(&stage);
    let output = stage.run(&["worker:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!stage.world.env.has("made.txt"), "{output}");
    assert!(
        stage.world.env.has("repository/.git") && stage.world.env.has("allowed.txt"),
        "{output}"
    );
    let report = &stage.world.all("iteration_finished")[0];
    assert_eq!(report["heard"]["activity"]["denials"], denied.len(), "{report}");
}

#[test]
fn gemini_does_not_use_denied_tools_even_if_the_user_allows_them() {
    let turns = vec![
        ModelTurn::text("I will write.")
            .tool("write_file", json!({ "file_path": "made.txt", "content": "hi" }))
            .shell(AgentClient::Gemini, "touch made.txt")
            .shell(AgentClient::Gemini, "echo hi > other.txt"),
        ModelTurn::text("FORKHESTRA_COMPLETE"),
    ];
    let fields = json!({ "disallowedTools": ["write_file", "run_shell_command(touch)"] });
    let Some(stage) = RealAgentProject::with(AgentClient::Gemini, &fields, turns) else { return };
    allow_everything_to_gemini(&stage);
    let output = stage.run(&["worker:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!stage.world.env.has("made.txt") && stage.world.env.has("other.txt"), "{output}");
}

/// Allows opencode everything, in the ways a project can.
fn allow_everything_to_opencode(stage: &RealAgentProject) {
    let all = json!({ "*": "ask", "bash": "allow", "edit": "allow", "write": "allow" });
    let build = json!({ "permission": all });
    let config =
        json!({ "permission": all, "agent": { "build": build }, "tools": { "bash": true } });
    stage.world.env.write("opencode.json", config.to_string());
}

#[test]
fn an_opencode_planner_writes_only_to_allowed_paths_even_if_the_project_allows_more() {
    let write = |path: &str| json!({ "filePath": path, "content": "hi" });
    let turns = vec![
        ModelTurn::text("I will write.")
            .tool("write", write("made.txt"))
            .tool("write", write("docs/../made.txt"))
            .tool("write", write("docs/notes.md"))
            .tool("task", json!({ "description": "d", "prompt": "p", "subagent_type": "general" }))
            .shell(AgentClient::Opencode, "echo hi > made.txt"),
        ModelTurn::text("FORKHESTRA_COMPLETE"),
    ];
    let fields = json!({ "allowedTools": ["read", "edit(*/docs/*)"] });
    let Some(stage) = RealAgentProject::with(AgentClient::Opencode, &fields, turns) else { return };
    allow_everything_to_opencode(&stage);
    let output = stage.run(&["worker:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!stage.world.env.has("made.txt") && stage.world.env.has("docs/notes.md"), "{output}");
    let report = &stage.world.all("iteration_finished")[0];
    assert_eq!(report["heard"]["activity"]["denials"], 2, "{report}");
    let offered = offered_tools(&stage);
    assert!(offered.contains(&"read".to_owned()), "{offered:?}");
    assert!(!offered.iter().any(|tool| ["bash", "glob", "task"].contains(&&**tool)), "{offered:?}");
}

#[test]
fn opencode_does_not_use_denied_tools_even_if_the_project_allows_them() {
    let turns = vec![
        ModelTurn::text("I will write.")
            .tool("write", json!({ "filePath": "made.txt", "content": "hi" }))
            .tool("task", json!({ "description": "d", "prompt": "p", "subagent_type": "general" })),
        // A subagent would answer here, with permission.
        ModelTurn::text("I will touch.")
            .shell(AgentClient::Opencode, "touch made.txt")
            .shell(AgentClient::Opencode, "echo hi > other.txt"),
        ModelTurn::text("FORKHESTRA_COMPLETE"),
    ];
    let fields = json!({ "disallowedTools": ["write", "bash(touch *)"] });
    let Some(stage) = RealAgentProject::with(AgentClient::Opencode, &fields, turns) else { return };
    allow_everything_to_opencode(&stage);
    let output = stage.run(&["worker:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!stage.world.env.has("made.txt") && stage.world.env.has("other.txt"), "{output}");
}
