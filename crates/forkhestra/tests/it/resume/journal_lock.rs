//! An active run cannot be resumed: two writers would destroy its journal.

use std::fs;

use testkit::TestEnv;

use crate::support::agents_at_work::{id, iterations, journal, only_run, run, runs};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// The message offers no way to force it.
const REFUSAL: &str = "error: run [id] is active (process [pid], since [time])
hint: wait for it, or stop it: forkhestra stop [id]
";

/// An agent that prints that it is running, and records its end.
fn with_agent() -> TestEnv {
    let env = TestEnv::new();
    env.agent("first", &format!("echo ready\n{WAIT_FOR_GO}\ntouch survived"));
    env
}

/// The message without process id and time.
fn steady(output: &str, first: &RunInProgress<'_>) -> String {
    let (before, after) = output.split_once("since ").expect("it says since when");
    let (_, after) = after.split_once(')').expect("it says since when");
    format!("{before}since [time]){after}").replace(&first.pid().to_string(), "[pid]")
}

/// Lets the agent continue, and asserts that neither the agent nor the journal was disturbed.
#[track_caller]
fn assert_undisturbed(env: &TestEnv, first: RunInProgress<'_>) {
    let (shown, code) = first.release();
    assert_eq!((code, env.has("survived")), (Some(0), true), "{shown}");
    assert_eq!(iterations(env), ["1-1-1"]);
    let directory = only_run(env);
    assert!(journal(&directory).iter().all(|line| line["event"] != "run_resumed"));
    let message = run(env, &["resume", id(&directory)]).success();
    assert_eq!(message, "[forkhestra] Run [id] is complete; nothing is left to do\n");
}

/// Tries to resume an active run, with the lock and without it.
#[track_caller]
fn assert_not_resumed(started: &[&str]) {
    for options in [&[][..], &["--no-lock"]] {
        let env = with_agent();
        let first = RunInProgress::start(&env, started, "ready\n");
        let message = run(&env, &[&["resume"], options].concat()).failure(2);
        assert_eq!(steady(&message, &first), REFUSAL);
        assert_undisturbed(&env, first);
    }
}

#[test]
fn an_active_run_is_not_resumed_even_without_the_lock() {
    assert_not_resumed(&["first"]);
}

#[test]
fn an_active_run_without_the_lock_is_not_resumed() {
    assert_not_resumed(&["first", "--no-lock"]);
}

/// Both processes were killed, so the lock file still names them, and then the run was resumed
/// without the lock.
#[test]
fn a_run_resumed_without_the_lock_is_not_treated_as_leftover() {
    let env = with_agent();
    env.agent("second", "");
    let first = RunInProgress::start(&env, &["first", "--no-lock"], "ready\n");
    let directory = only_run(&env);
    let dead =
        format!(r#"{{"pid":1,"run":"{}","since":"2026-11-15T07:59:12.123Z"}}"#, id(&directory));
    fs::write(directory.with_file_name("lock"), dead).expect("the file is ours");
    let output = run(&env, &["second"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    let (shown, code) = first.release();
    assert_eq!((code, env.has("survived")), (Some(0), true), "{shown}");
    assert_eq!(runs(&env).len(), 2);
}
