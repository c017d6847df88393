//! Uncommitted work at the end of a step.

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

const CONFIG: &str = r#"{
    "agents": {
        "task-worker": { "systemPromptText": "You work." },
        "helper": { "systemPromptText": "You help." }
    },
    "chains": {}
}"#;

/// A repository with an uncommitted file of the user, and an agent that runs `script`.
fn with_agent_in_repository(script: &str) -> AgentProject {
    let project = AgentProject::with_config(
        CONFIG,
        &[ScriptedStream::new().model_message("FORKHESTRA_COMPLETE").succeeds(0.01)],
    );
    let identity = "git config user.name Ada; git config user.email ada@localhost";
    project.env.link_system_program("git");
    project.env.agent("claude", &format!("{script}\ncat \"$PLACE/stream.last\""));
    let setup = format!(
        "git init -q . && {{ {identity}; }} && git add -A && git commit -q -m begin && echo x > mine.txt"
    );
    project.env.run("/bin/sh", &["-c", &setup]).success();
    project
}

const LEAVE_FILES: &str = "for name in a b c d; do echo x > $name.txt; done";

#[test]
fn a_step_that_requires_commits_lists_uncommitted_files() {
    let project = with_agent_in_repository(LEAVE_FILES);
    let output = project.run(&["task-worker:1"]);
    assert_eq!(output.code, Some(0), "{output}");
    let warning = "warning: step 1 (task-worker) ends with uncommitted work: \
                   4 files are not committed: a.txt, b.txt, c.txt and 1 more";
    assert!(output.stderr.contains(warning), "{output}");
    assert!(
        output.stdout.contains("4 files not committed: a.txt, b.txt, c.txt and 1 more"),
        "{output}"
    );
    assert!(!output.to_string().contains("mine.txt"), "{output}");
    let surveyed = &project.all("surveyed")[0]["work"]["uncommitted"];
    assert_eq!(surveyed["listed"].as_array().map(Vec::len), Some(4), "{surveyed}");
}

#[test]
fn committed_work_and_work_of_other_agents_causes_no_warning() {
    let commits = format!("{LEAVE_FILES}; git add ?.txt && git commit -q -m done");
    for (script, agent) in
        [(commits.as_str(), "task-worker:1"), (LEAVE_FILES, "helper:1"), ("true", "task-worker:1")]
    {
        let project = with_agent_in_repository(script);
        let output = project.run(&[agent]);
        assert_eq!(output.code, Some(0), "{output}");
        assert!(!output.to_string().contains("not committed"), "{agent} {script}: {output}");
    }
}
