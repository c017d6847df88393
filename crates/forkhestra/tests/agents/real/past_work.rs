//! The recorded work of agents that commit: compared, bisected, rewound and forked.

use serde_json::{Value, json};
use testkit::{AgentClient, ModelTurn};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

const DONE: &str = "FORKHESTRA_COMPLETE\n";

for_each_agent!(a_broken_iteration_is_found_undone_and_tried_again);

fn a_broken_iteration_is_found_undone_and_tried_again(agent: AgentClient) {
    let turns = vec![
        ModelTurn::text("One.")
            .shell(agent, "echo good > made.txt; git add made.txt; git commit -q -m One"),
        ModelTurn::text("One is made."),
        ModelTurn::text("Two.").shell(
            agent,
            "echo broken >> made.txt; git commit -q -a -m Two; echo draft > draft.txt",
        ),
        ModelTurn::text(DONE),
        ModelTurn::text("Again.")
            .shell(agent, "echo better >> made.txt; git commit -q -a -m Better"),
        ModelTurn::text(DONE),
    ];
    let Some(stage) = in_repository(agent, turns) else { return };
    let output = stage.run(&["worker:3", "-p", "Make it."]);
    assert_eq!(output.code, Some(0), "{output}");
    let diff = stage.run(&["diff", "--iteration", "2"]).success();
    assert!(diff.contains("+broken") && diff.contains("+draft"), "{diff}");

    let output =
        stage.run(&["bisect", "--json", "--", "/bin/sh", "-c", "! grep -q broken made.txt"]);
    assert_eq!(output.code, Some(0), "{output}");
    let found: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    let bad = &found["firstBad"];
    assert_eq!((&bad["iteration"], &bad["agent"]), (&json!(2), &json!("worker")), "{found}");
    assert_eq!(bad["commits"][0]["subject"], "Two", "{found}");
    assert!(bad["cost"].as_f64().is_some_and(|cost| cost > 0.0), "{found}");

    stage.run(&["rewind", "--to", "1"]).success();
    assert_eq!(stage.world.env.read("made.txt"), "good\n");
    assert!(!stage.world.env.has("draft.txt"));
    assert_eq!(subjects(&stage, "."), "One\nbegin\n");
    stage.run(&["rewind", "--undo"]).success();
    assert_eq!(stage.world.env.read("made.txt"), "good\nbroken\n");
    assert!(stage.world.env.has("draft.txt"));
    assert_eq!(subjects(&stage, "."), "Two\nOne\nbegin\n");

    let source = found["run"].as_str().expect("it has an id");
    let output =
        stage.run(&["fork", source, "--at", "1", "--in", "../again", "-p", "Another way."]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(subjects(&stage, "../again"), "Better\nOne\nbegin\n");
    assert_eq!(stage.world.env.read("../again/made.txt"), "good\nbetter\n");
    assert_eq!(stage.world.env.read("made.txt"), "good\nbroken\n");
    let forked = stage.server.main_requests()[4].body.to_string();
    assert!(forked.contains("Another way.") && !forked.contains("One is made."), "{forked}");

    let stats: Value = serde_json::from_str(&stage.run(&["stats", "--all", "--json"]).success())
        .expect("it is JSON");
    assert_eq!(stats["runs"]["byStatus"], json!({ "complete": 2 }), "{stats}");
    let spent = |run: &Value| run["cost"].as_f64().expect("it is known");
    let runs: Vec<Value> =
        serde_json::from_str(&stage.run(&["runs", "--all", "--json"]).success()).expect("JSON");
    let sum: f64 = runs.iter().map(spent).sum();
    assert!((stats["money"]["total"].as_f64().expect("it is known") - sum).abs() < 1e-6, "{stats}");
}

/// A repository with one commit. Agents find its git.
pub(super) fn in_repository(agent: AgentClient, turns: Vec<ModelTurn>) -> Option<RealAgentProject> {
    Some(with_repository(RealAgentProject::new(agent, turns)?))
}

/// Makes the project a repository with one commit.
pub(super) fn with_repository(stage: RealAgentProject) -> RealAgentProject {
    stage.world.env.link_system_program("git");
    stage.world.env.write(".gitignore", ".agent-state/\n");
    let begin = "git init -q --initial-branch=main . && git config user.name Ada && \
                 git config user.email ada@example.org && git add -A && git commit -q -m begin";
    stage.world.env.run("/bin/sh", &["-c", begin]).success();
    stage
}

/// The subjects of all commits in a directory, the newest first.
fn subjects(stage: &RealAgentProject, directory: &str) -> String {
    stage
        .world
        .env
        .run("/bin/sh", &["-c", &format!("git -C {directory} log --format=%s")])
        .success()
}
