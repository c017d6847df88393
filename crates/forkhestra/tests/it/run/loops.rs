//! Agents in a loop, started again until they complete.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, events, iterations, reason, run};
use crate::without_name_warning;

#[test]
fn a_loop_prints_the_lines_of_the_plan() {
    let env = TestEnv::new();
    env.agent(
        "task-manager",
        "echo planning\n[ $FORKHESTRA_ITERATION -lt 2 ] || echo FORKHESTRA_COMPLETE",
    )
    .agent("task-coordinator", "echo coordinating\necho FORKHESTRA_COMPLETE");
    assert_snapshot!(without_name_warning(run(&env, &["task-manager:3 -> task-coordinator:10"])), @"
    [forkhestra] Starting: task-manager (max 3 iterations)
    [forkhestra] Iteration 1/3
    planning
    [forkhestra] Iteration 2/3
    planning
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 2 iterations

    [forkhestra] Starting: task-coordinator (max 10 iterations)
    [forkhestra] Iteration 1/10
    coordinating
    FORKHESTRA_COMPLETE
    [forkhestra] Check passed: tasks ([time])
    [forkhestra] Complete after 1 iteration

    [forkhestra] Summary
      1  task-manager      complete  2 iterations  marker  [time]
      2  task-coordinator  complete  1 iteration   marker  [time]
         marker; checks passed: tasks

    [forkhestra] In all: 3 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn a_loop_stops_at_the_marker() {
    let env = TestEnv::new();
    env.agent("a", &format!("[ $FORKHESTRA_ITERATION -lt 3 ] || {DONE}"));
    let output = run(&env, &["a:10"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "1-2-1", "1-3-1"]);
}

#[test]
fn a_loop_ends_at_its_last_iteration() {
    let env = TestEnv::new();
    env.agent("a", "echo not yet");
    assert_snapshot!(run(&env, &["a:2"]), @"
    [forkhestra] Starting: a (max 2 iterations)
    [forkhestra] Iteration 1/2
    not yet
    [forkhestra] Iteration 2/2
    not yet
    [forkhestra] Incomplete after 2 iterations (max_iterations)

    [forkhestra] Summary
      1  a  incomplete  2 iterations  max_iterations  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id] --max-iterations 4
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, not complete after 2 iterations
    [exit status: 1]
    ");
    assert_eq!(iterations(&env), ["1-1-1", "1-2-1"]);
}

#[test]
fn a_crash_is_shown_with_a_wait_and_does_not_stop_the_loop() {
    let env = TestEnv::new();
    env.agent("a", &format!("[ -e tried ] && exec {DONE}\ntouch tried; echo crashing >&2; exit 7"));
    assert_snapshot!(run(&env, &["a:3"]), @"
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 1/3
    [forkhestra] Iteration 1/3 failed (exit 7)
    [forkhestra] a failed once (exit 7), waiting 1s
    [forkhestra] Iteration 2/3
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 2 iterations

    [forkhestra] Summary
      1  a  complete  2 iterations  marker  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (1/1 steps)
    ------- stderr -------
    crashing
    ");
    let waits = events(&env, "backing_off");
    assert_eq!((waits.len(), &waits[0]["delayMs"]), (1, &1000.into()));
}

#[test]
fn an_exit_code_of_zero_alone_does_not_complete_a_loop() {
    let env = TestEnv::new();
    env.agent("a", "exit 0");
    assert_eq!(run(&env, &["a:3"]).code, Some(1));
    assert_eq!(reason(&env), "max_iterations");
}

#[test]
fn the_iterations_of_a_config_make_a_loop() {
    let env = crate::project(
        r#"{ "chains": { "c": { "steps": [{ "agent": "a", "iterations": 2 }] } } }"#,
    );
    env.agent("a", "echo again");
    let output = run(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "1-2-1"]);
}

#[test]
fn every_iteration_has_a_fresh_process() {
    let env = TestEnv::new();
    env.agent("a", "echo $$ >> pids");
    assert_eq!(run(&env, &["a:3"]).code, Some(1));
    let pids = env.read("pids");
    let mut pids: Vec<&str> = pids.lines().collect();
    pids.dedup();
    assert_eq!(pids.len(), 3, "{pids:?}");
}

/// Each agent exits before the next one starts.
#[test]
fn only_one_agent_runs_at_a_time() {
    let env = TestEnv::new();
    env.agent("a", "mkdir busy || exit 9\ncat /dev/null\nrmdir busy");
    let output = run(&env, &["a:3 -> a"]);
    let ends: Vec<_> =
        events(&env, "iteration_finished").iter().map(|e| e["end"]["code"].clone()).collect();
    assert_eq!(ends, [0, 0, 0], "{output}");
}
