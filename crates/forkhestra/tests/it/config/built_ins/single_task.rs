//! The built-in chain `single-task`.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::run::direct_spawn::{RECORD_INVOCATION, arguments};
use crate::support::agents_at_work::run;
use crate::{forkhestra, project, refused};

pub(super) fn task(id: &str, status: &str) -> String {
    format!("---\nid: {id}\ntitle: Something\nstatus: {status}\n---\n")
}

#[test]
fn the_worker_gets_a_single_task_in_its_prompt() {
    let env = TestEnv::new();
    env.agent(
        "claude",
        &format!("forge-tasks edit TASK-007 --status done > edited\n{RECORD_INVOCATION}"),
    );
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    let output = run(&env, &["--chain", "single-task", "TASK_ID=TASK-007"]);
    assert_eq!(output.code, Some(0), "{output}");
    let args = arguments(&env);
    assert!(args.ends_with(&["--".to_owned(), "Work on TASK-007.".to_owned()]), "{args:?}");
    assert!(!args.contains(&"--task".to_owned()), "{args:?}");
}

#[test]
fn a_single_task_is_done_when_the_database_has_it_done() {
    let env = TestEnv::new();
    env.agent("claude", RECORD_INVOCATION);
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    let output = run(&env, &["--chain", "single-task", "TASK_ID=TASK-007"]);
    assert_eq!(output.code, Some(1), "{output}");
    let failed = "Check failed: TASK-007 is Done: 1 task is not done: TASK-007";
    assert!(output.stdout.contains(failed), "{output}");
}

#[test]
fn an_invalid_task_of_a_chain_is_reported_with_its_position() {
    let env = project(
        r#"{ "chains": { "one": { "steps": [{ "agent": "task-worker", "args": ["--task"] }] } } }"#,
    );
    assert_snapshot!(refused(&env, &["--chain", "one"]), @r#"
    error: `--task` needs the id of a task
     --> forge/orch/chains.json:1:69
      |
    1 | { "chains": { "one": { "steps": [{ "agent": "task-worker", "args": ["--task"] }] } } }
      |                                                                     ^^^^^^^^ nothing follows
    hint: name one task: `--task TASK-001`; `forge-tasks list` shows which there are
    "#);
}

#[test]
fn the_worker_written_by_init_gets_a_single_task_in_its_prompt() {
    let env = TestEnv::new();
    let finishes = format!("forge-tasks edit 7 --status done --plain; {RECORD_INVOCATION}");
    env.agent("claude", &finishes).link_system_program("grep");
    assert_eq!(forkhestra(&env, &["init", "--with-prompts"]).code, Some(0));
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    let output = run(&env, &["--chain", "single-task", "TASK_ID=TASK-007"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("Check passed: TASK-007 is Done"), "{output}");
    let args = arguments(&env);
    assert!(args.ends_with(&["--".to_owned(), "Work on TASK-007.".to_owned()]), "{args:?}");
    assert!(!args.contains(&"--task".to_owned()), "{args:?}");
    env.write("more.md", "Hurry.\n");
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    let args = ["--chain", "single-task", "TASK_ID=TASK-007", "--prompt-file", "more.md"];
    assert_eq!(run(&env, &args).code, Some(0));
    let last = arguments(&env).pop().expect("there are arguments");
    assert_eq!(last, "Work on TASK-007.\n\nHurry.\n");
}
