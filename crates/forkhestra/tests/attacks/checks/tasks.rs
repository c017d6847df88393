//! An agent that makes tasks look done.

use testkit::TestEnv;

use crate::FORGE_TASKS;
use crate::support::{DONE, forkhestra, project, reason};

/// A project with a task that has an acceptance criterion.
fn with_task() -> TestEnv {
    let env = project();
    env.link_system_program("sed");
    let created = env.run(FORGE_TASKS, &["create", "one", "--ac", "it works"]);
    assert_eq!(created.code, Some(0), "{created}");
    env
}

/// An agent with this script is refused, and the reason is shown.
#[track_caller]
fn assert_refused(script: &str, why: &str) {
    for form in
        [&["builder:2"][..], &["builder:2", "--check", "tasks"], &["builder", "--check", "tasks"]]
    {
        let env = with_task();
        env.agent("builder", &format!("{script}; {DONE}"));
        let output = forkhestra(&env, form);
        assert_eq!(output.code, Some(1), "{form:?}: {output}");
        assert!(output.stdout.contains(why), "{form:?}: {output}");
    }
}

#[test]
fn a_blocked_task_is_not_done() {
    assert_refused("forge-tasks edit 1 --status blocked --plain", "TASK-001 is blocked");
}

#[test]
fn a_task_is_not_done_without_its_criteria() {
    let why = "TASK-001 is Done with 0 of 1 acceptance criteria ticked";
    assert_refused("forge-tasks edit 1 --status done --plain", why);
    let removed = "forge-tasks edit 1 --status done --plain; sed -i /works/d forge/tasks/TASK-001*";
    assert_refused(removed, why);
    let env = with_task();
    env.agent("builder", &format!("forge-tasks edit 1 --check-ac 1 --status done --plain; {DONE}"));
    let output = forkhestra(&env, &["builder:2"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn unticked_criteria_are_found_after_a_resume() {
    let env = with_task();
    env.agent("builder", "forge-tasks edit 1 --status done --plain; kill -INT $PPID; sleep 100");
    let output = forkhestra(&env, &["builder:2"]);
    assert_eq!(output.code, Some(130), "{output}");
    env.agent("builder", DONE);
    let output = forkhestra(&env, &["resume"]);
    assert_eq!((output.code, reason(&env).as_str()), (Some(1), "max_iterations"), "{output}");
    assert!(output.stdout.contains("0 of 1 acceptance criteria"), "{output}");
}

#[test]
fn a_deleted_task_is_not_done() {
    assert_refused(
        "forge-tasks delete 1 --force --plain",
        "TASK-001 was deleted before it was done",
    );
}

#[test]
fn an_archived_task_is_not_done() {
    let why = "TASK-001 was archived before it was done";
    assert_refused("forge-tasks archive 1 --plain", why);
    let other = "forge-tasks archive 1 --plain; forge-tasks create two --plain; \
                 forge-tasks edit 2 --status done --plain";
    assert_refused(other, why);
}

#[test]
fn another_database_in_its_place_is_not_done() {
    assert_refused(
        "rm -rf forge/tasks; mkdir -p forge/tasks",
        "TASK-001 was deleted before it was done",
    );
    assert_refused("rm -rf forge/tasks", "the task database was removed");
    assert_refused("for f in forge/tasks/TASK-001*; do : > \"$f\"; done", "TASK-001");
}
