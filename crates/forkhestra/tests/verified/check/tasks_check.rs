//! The check that all tasks of the database are done.

use crate::FORGE_TASKS;
use crate::support::{check_outcomes, forkhestra, project, verdicts};

#[test]
fn a_builder_that_claims_completion_after_one_task_continues() {
    let env = project();
    std::os::unix::fs::symlink(FORGE_TASKS, env.bin().join("forge-tasks")).expect("it is ours");
    for title in ["one", "two", "three"] {
        assert_eq!(env.run(FORGE_TASKS, &["create", title, "--plain"]).code, Some(0));
    }
    env.agent(
        "builder",
        "forge-tasks edit $FORKHESTRA_ITERATION --status done --plain; echo FORKHESTRA_COMPLETE",
    );
    let output = forkhestra(&env, &["builder:9"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(
        verdicts(&env),
        ["refused checks_failed", "refused checks_failed", "complete marker"]
    );
    assert_eq!(check_outcomes(&env), ["tasks failed", "tasks failed", "tasks passed"]);
    assert!(output.stdout.contains("TASK-002"), "{output}");
}

#[test]
fn without_a_database_the_check_reports_it() {
    let env = project();
    env.agent("a", "echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&env, &["a:1", "--check", "tasks"]);
    assert_ne!(output.code, Some(0), "{output}");
    assert!(output.to_string().contains("task database"), "{output}");
}
