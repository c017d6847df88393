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
    let world = AgentProject::with_config(
        CONFIG,
        &[ScriptedStream::new().says("FORKHESTRA_COMPLETE").succeeds(0.01)],
    );
    let identity = "git config user.name Ada; git config user.email ada@localhost";
    world.env.link_system_program("git");
    world.env.agent("claude", &format!("{script}\ncat \"$PLACE/stream.last\""));
    let setup = format!(
        "git init -q . && {{ {identity}; }} && git add -A && git commit -q -m begin && echo x > mine.txt"
    );
    world.env.run("/bin/sh", &["-c", &setup]).success();
    world
}

const LEAVES: &str = "for name in a b c d; do echo x > $name.txt; done";

#[test]
fn a_step_that_requires_commits_lists_uncommitted_files() {
    let world = with_agent_in_repository(LEAVES);
    let said = world.run(&["task-worker:1"]);
    assert_eq!(said.code, Some(0), "{said}");
    let warning = "warning: step 1 (task-worker) ends with uncommitted work: \
                   4 files are not committed: a.txt, b.txt, c.txt and 1 more";
    assert!(said.stderr.contains(warning), "{said}");
    assert!(
        said.stdout.contains("4 files not committed: a.txt, b.txt, c.txt and 1 more"),
        "{said}"
    );
    assert!(!said.to_string().contains("mine.txt"), "{said}");
    let surveyed = &world.all("surveyed")[0]["work"]["uncommitted"];
    assert_eq!(surveyed["listed"].as_array().map(Vec::len), Some(4), "{surveyed}");
}

#[test]
fn committed_work_and_work_of_other_agents_causes_no_warning() {
    let commits = format!("{LEAVES}; git add ?.txt && git commit -q -m done");
    for (script, agent) in
        [(commits.as_str(), "task-worker:1"), (LEAVES, "helper:1"), ("true", "task-worker:1")]
    {
        let world = with_agent_in_repository(script);
        let said = world.run(&[agent]);
        assert_eq!(said.code, Some(0), "{said}");
        assert!(!said.to_string().contains("not committed"), "{agent} {script}: {said}");
    }
}
