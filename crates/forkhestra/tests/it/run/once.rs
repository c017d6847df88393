//! Agents that run once: their exit code decides.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, events, iterations, reason, run, verdict};
use crate::without_name_warning;

#[test]
fn a_pipeline_prints_the_lines_of_the_plan() {
    let env = TestEnv::new();
    env.agent("task-manager", "echo creating tasks").agent("task-coordinator", "echo coordinating");
    assert_snapshot!(without_name_warning(run(&env, &["task-manager -> task-coordinator"])), @"
    [forkhestra] Running: task-manager
    creating tasks
    [forkhestra] Done: task-manager (exit 0)

    [forkhestra] Running: task-coordinator
    coordinating
    [forkhestra] Done: task-coordinator (exit 0)

    [forkhestra] Summary
      1  task-manager      complete  1 iteration  exit_code  [time]
      2  task-coordinator  complete  1 iteration  exit_code  [time]

    [forkhestra] In all: 2 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn an_agent_on_path_is_run_once_by_its_name() {
    let env = TestEnv::new();
    env.agent("worker", "echo ran >> ran");
    assert_eq!(run(&env, &["worker"]).code, Some(0));
    assert_eq!(env.read("ran"), "ran\n");
}

#[test]
fn an_agent_is_run_by_its_path() {
    let env = TestEnv::new();
    env.agent_file("agents/fix.sh", "echo fixing");
    assert_snapshot!(run(&env, &["./agents/fix.sh"]), @"
    [forkhestra] Running: ./agents/fix.sh
    fixing
    [forkhestra] Done: ./agents/fix.sh (exit 0)

    [forkhestra] Summary
      1  ./agents/fix.sh  complete  1 iteration  exit_code  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (1/1 steps)
    ");
}

#[test]
fn a_configured_agent_is_run_with_its_command() {
    let env = crate::project(
        r#"{
          "agents": { "worker": { "command": "tool", "args": ["exec"] } },
          "chains": { "c": { "steps": [{ "agent": "worker", "args": ["--fast"] }] } },
        }"#,
    );
    env.agent("tool", r#"echo "$@" > args"#);
    let output = run(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("args"), "exec --fast\n");
}

#[test]
fn an_exit_code_other_than_zero_stops_the_chain() {
    let env = TestEnv::new();
    env.agent("good", "echo fine").agent("bad", "echo no luck; exit 3");
    assert_snapshot!(run(&env, &["good -> bad -> good"]), @"
    [forkhestra] Running: good
    fine
    [forkhestra] Done: good (exit 0)

    [forkhestra] Running: bad
    no luck
    [forkhestra] Failed: bad (exit 3)

    [forkhestra] Summary
      1  good  complete     1 iteration  exit_code        [time]
      2  bad   incomplete   1 iteration  failed (exit 3)  [time]
      3  good  not reached

    [forkhestra] In all: 2 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (1/3 steps): step 2, bad, failed (exit 3)
    [exit status: 1]
    ");
}

#[test]
fn death_by_a_signal_is_no_success() {
    let env = TestEnv::new();
    env.agent("a", "kill -KILL $$");
    assert_snapshot!(run(&env, &["a"]), @"
    [forkhestra] Running: a
    [forkhestra] Failed: a (killed by signal 9)

    [forkhestra] Summary
      1  a  incomplete  1 iteration  failed (killed by signal 9)  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, failed (killed by signal 9)
    [exit status: 1]
    ");
}

#[test]
fn the_marker_is_ignored_when_an_agent_runs_once() {
    let env = TestEnv::new();
    env.agent("silent", "").agent("loud", &format!("{DONE}; exit 1"));
    let output = run(&env, &["silent"]);
    assert_eq!(verdict(&output), "[forkhestra] Chain complete (1/1 steps)", "{output}");
    assert_eq!(reason(&env), "exit_code");
    let env = TestEnv::new();
    env.agent("loud", &format!("{DONE}; exit 1"));
    let output = run(&env, &["loud"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "failed");
    assert!(events(&env, "completion_requested").is_empty());
}

#[test]
fn a_failed_agent_is_not_retried() {
    let env = TestEnv::new();
    env.agent("a", "exit 1");
    assert_eq!(run(&env, &["a"]).code, Some(1));
    assert_eq!(iterations(&env), ["1-1-1"]);
}

#[test]
fn a_count_of_one_is_a_loop_that_needs_the_marker() {
    let env = TestEnv::new();
    env.agent("a", "exit 0");
    let output = run(&env, &["a:1"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "max_iterations");
}

#[test]
fn an_agent_called_like_a_verb_runs() {
    let env = TestEnv::new();
    env.agent("list", "echo the agent");
    let output = run(&env, &["run", "list"]);
    assert!(output.stdout.contains("the agent\n"), "{output}");
}
