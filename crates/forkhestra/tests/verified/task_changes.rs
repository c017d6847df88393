//! Changes of the task database in each iteration.

use serde_json::{Value, json};
use testkit::TestEnv;

use crate::support::{events_of, forkhestra, git, project, repository, run_directory};
use crate::{FORGE_TASKS, FORKHESTRA};

#[track_caller]
fn tasks(env: &TestEnv, args: &[&str]) {
    let done = env.run(FORGE_TASKS, args);
    assert_eq!(done.code, Some(0), "{args:?}: {done}");
}

/// The iterations with changes: unit, changes, and the number of done and all tasks.
fn changes(env: &TestEnv) -> Vec<(String, Vec<String>, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let events = events_of(env, "tasks_changed");
    let event = |event: &Value| {
        let (step, iteration) = (&event["unit"]["step"], &event["unit"]["iteration"]);
        let changes = event["changes"].as_array().cloned().unwrap_or_default();
        let change = |change: &Value| {
            let reason = change.get("reason").map(|reason| format!(": {}", text(reason)));
            format!(
                "{} {}{}",
                text(&change["id"]),
                text(&change["kind"]),
                reason.unwrap_or_default()
            )
        };
        let counts = &event["counts"];
        (
            format!("{step}.{iteration}"),
            changes.iter().map(change).collect(),
            format!("{}/{}", counts["done"], counts["total"]),
        )
    };
    events.iter().map(event).collect()
}

fn expected(unit: &str, changes: &[&str], done: &str) -> (String, Vec<String>, String) {
    let changes = changes.iter().map(|change| (*change).to_owned()).collect();
    (unit.to_owned(), changes, done.to_owned())
}

/// A planner of three tasks, and a builder that finishes, leaves and blocks some.
fn with_planner_and_builder() -> TestEnv {
    let env = project();
    env.agent(
        "planner",
        "forge-tasks create One --plain; forge-tasks create Two --plain; forge-tasks create Three --plain",
    );
    env.agent(
        "builder",
        "case $FORKHESTRA_ITERATION in
        1) forge-tasks claim --plain; forge-tasks edit 1 -s done --plain;;
        2) forge-tasks claim --plain;;
        3) exit 0;;
        4) forge-tasks edit 2 -s blocked --append-notes 'The key is missing.' --plain
           forge-tasks edit 3 -s done --plain;;
        esac",
    );
    env
}

#[test]
fn each_iteration_records_what_it_did_to_the_tasks() {
    let env = with_planner_and_builder();
    let output = forkhestra(&env, &["planner -> builder:9"]);
    assert_eq!(
        changes(&env),
        [
            expected("1.1", &["TASK-001 created", "TASK-002 created", "TASK-003 created"], "0/3"),
            expected("2.1", &["TASK-001 finished"], "1/3"),
            expected("2.2", &["TASK-002 claimed", "TASK-002 released"], "1/3"),
            expected("2.4", &["TASK-002 blocked: The key is missing.", "TASK-003 finished"], "2/3"),
        ],
        "{output}"
    );
}

/// The tasks of an iteration are in its record, also those that forkhestra gave back after it.
#[test]
fn show_and_the_views_have_the_tasks_of_each_iteration() {
    let env = with_planner_and_builder();
    let output = forkhestra(&env, &["planner -> builder:9"]);
    assert_eq!(output.code, Some(1), "{output}");
    let shown = forkhestra(&env, &["show", "--json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("it is JSON");
    let of_show: Vec<&Value> =
        shown["iterations"].as_array().expect("a list").iter().map(|line| &line["tasks"]).collect();
    let expected = [
        json!({ "created": ["TASK-001", "TASK-002", "TASK-003"] }),
        json!({ "finished": ["TASK-001"] }),
        json!({ "claimed": ["TASK-002"], "released": ["TASK-002"] }),
        Value::Null,
        json!({ "finished": ["TASK-003"], "blocked": ["TASK-002"] }),
    ];
    assert_eq!(of_show, expected.iter().collect::<Vec<_>>());
    let lines = env.read(".agent-state/iterations.jsonl");
    let of_log: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("it is JSON")["tasks"].clone())
        .collect();
    assert_eq!(of_log, expected);
    let text = forkhestra(&env, &["show", "-v"]).stdout;
    assert!(text.contains("TASK-001 finished"), "{text}");
    assert!(text.contains("TASK-002 released"), "{text}");
    assert!(text.contains("TASK-002 blocked, TASK-003 finished"), "{text}");
}

/// The open tasks are recorded once, so that a report can name them.
#[test]
fn without_changes_the_open_tasks_are_recorded_once() {
    let env = project();
    env.agent("idle", "exit 0");
    let output = forkhestra(&env, &["idle:2"]);
    assert_eq!(changes(&env), [], "{output}");
    let env = project();
    env.agent("idle", "exit 0");
    tasks(&env, &["create", "One"]);
    let output = forkhestra(&env, &["idle:2"]);
    assert_eq!(changes(&env), [expected("1.1", &[], "0/1")], "{output}");
    let open = json!([{ "id": "TASK-001", "title": "One", "status": "to_do" }]);
    assert_eq!(events_of(&env, "tasks_changed")[0]["open"], open);
}

/// Changes by the user between two iterations are not attributed to an agent.
#[test]
fn changes_by_hooks_are_not_attributed_to_the_agent() {
    let env = project();
    tasks(&env, &["create", "One"]);
    env.agent("idle", "exit 0");
    let hook = "post-iteration:forge-tasks edit 1 -s done";
    let output = forkhestra(&env, &["idle:2", "--hook", hook]);
    let counted = [expected("1.1", &[], "0/1"), expected("1.2", &[], "1/1")];
    assert_eq!(changes(&env), counted, "{output}");
}

/// The tasks are polled before the hook that changes them.
#[test]
fn changes_by_a_hook_before_the_agent_are_not_attributed_to_it() {
    let env = project();
    tasks(&env, &["create", "One"]);
    tasks(&env, &["create", "Two"]);
    env.agent("claude", "exit 0");
    let hook = "pre-iteration:forge-tasks edit 1 -s done";
    let output = forkhestra(&env, &["builder:1", "--hook", hook]);
    assert_eq!(changes(&env), [expected("1.1", &[], "1/2")], "{output}");
}

#[test]
fn a_database_that_is_deleted_has_lost_its_tasks() {
    let env = project();
    tasks(&env, &["create", "One"]);
    env.agent("breaker", "rm -r forge/tasks");
    let output = forkhestra(&env, &["breaker:1"]);
    assert_eq!(changes(&env), [expected("1.1", &["TASK-001 removed"], "0/0")], "{output}");
    // One that was created during the run.
    let env = project();
    env.agent(
        "planner",
        "case $FORKHESTRA_ITERATION in 1) forge-tasks create One;; 2) rm -r forge;; esac",
    );
    let output = forkhestra(&env, &["planner:2"]);
    let expected = [
        expected("1.1", &["TASK-001 created"], "0/1"),
        expected("1.2", &["TASK-001 removed"], "0/0"),
    ];
    assert_eq!(changes(&env), expected, "{output}");
}

#[test]
fn an_unreadable_database_ends_nothing() {
    let env = project();
    tasks(&env, &["create", "One"]);
    env.agent("breaker", "rm -r forge/tasks; echo x > forge/tasks");
    let output = forkhestra(&env, &["breaker"]);
    assert_eq!((output.code, changes(&env)), (Some(0), Vec::new()), "{output}");
}

#[test]
fn a_resumed_run_keeps_what_was_recorded() {
    let env = project();
    tasks(&env, &["create", "One"]);
    tasks(&env, &["create", "Two"]);
    env.agent("worker", "forge-tasks edit $FORKHESTRA_ITERATION -s done --plain");
    assert_eq!(forkhestra(&env, &["worker:1"]).code, Some(1));
    let resumed = env.run(FORKHESTRA, &["resume", "--max-iterations", "2"]);
    assert_eq!(
        changes(&env),
        [
            expected("1.1", &["TASK-001 finished"], "1/2"),
            expected("1.2", &["TASK-002 finished"], "2/2"),
        ],
        "{resumed}"
    );
    assert!(run_directory(&env).join("journal.jsonl").exists());
    let first = &events_of(&env, "run_started")[0];
    assert_eq!(first["format"], json!("4.0"));
}

/// The release of a task is a change by forkhestra and no uncommitted work of an agent; with other
/// files it is.
#[test]
fn a_task_that_is_given_back_is_no_uncommitted_work() {
    for (script, is_warned) in [("", false), ("; echo x > new.txt", true)] {
        let env = repository();
        tasks(&env, &["create", "One"]);
        git(&env, "add --all");
        git(&env, "commit --quiet --message tasks");
        // The agent commits the task while it holds the lease.
        let work = "forge-tasks claim --plain; forge-tasks edit 1 --append-notes Half. --plain; \
                    git add --all; git commit --quiet --message half";
        env.agent("claude", &format!("{work}{script}"));
        let output = forkhestra(&env, &["builder:1"]);
        assert_eq!(output.code, Some(1), "{output}");
        let changed = git(&env, "status --porcelain forge/tasks");
        assert!(changed.contains("forge/tasks/"), "{changed}{output}");
        let warning = "ends with uncommitted work";
        assert_eq!(output.stderr.contains(warning), is_warned, "{script}: {output}");
    }
}
