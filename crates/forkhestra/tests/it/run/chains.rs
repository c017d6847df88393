//! Chains: steps in order, up to the first that does not complete.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{DONE, events, run, verdict};

#[test]
fn steps_run_in_order() {
    let env = TestEnv::new();
    for name in ["a", "b", "c"] {
        env.agent(name, &format!("echo {name} >> order"));
    }
    assert_eq!(run(&env, &["a -> b -> c"]).code, Some(0));
    assert_eq!(env.read("order"), "a\nb\nc\n");
}

#[test]
fn a_chain_mixes_agents_that_run_once_with_loops() {
    let env = TestEnv::new();
    env.agent("manager", "echo managing").agent("coordinator", DONE);
    assert_snapshot!(run(&env, &["manager -> coordinator:10"]), @"
    [forkhestra] Running: manager
    managing
    [forkhestra] Done: manager (exit 0)

    [forkhestra] Starting: coordinator (max 10 iterations)
    [forkhestra] Iteration 1/10
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 1 iteration

    [forkhestra] Summary
      1  manager      complete  1 iteration  exit_code  [time]
      2  coordinator  complete  1 iteration  marker     [time]

    [forkhestra] In all: 2 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn a_step_that_does_not_complete_stops_the_chain_and_is_named() {
    let env = TestEnv::new();
    env.agent("done", DONE).agent("never", "echo again").agent("after", "touch ran");
    assert_snapshot!(run(&env, &["done:3 -> never:2 -> after"]), @"
    [forkhestra] Starting: done (max 3 iterations)
    [forkhestra] Iteration 1/3
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 1 iteration

    [forkhestra] Starting: never (max 2 iterations)
    [forkhestra] Iteration 1/2
    again
    [forkhestra] Iteration 2/2
    again
    [forkhestra] Incomplete after 2 iterations (max_iterations)

    [forkhestra] Summary
      1  done   complete     1 iteration   marker          [time]
      2  never  incomplete   2 iterations  max_iterations  [time]
      3  after  not reached

    [forkhestra] In all: 3 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id] --max-iterations 4
    [forkhestra] Chain incomplete (1/3 steps): step 2, never, not complete after 2 iterations
    [exit status: 1]
    ");
    assert!(!env.has("ran"));
}

#[test]
fn a_chain_of_the_config_runs_with_its_variables() {
    let env = project(
        r#"{
          "chains": {
            "single-task": {
              "steps": [{ "agent": "worker", "iterations": 8, "args": ["--task", "${TASK_ID}"] }],
            },
          },
        }"#,
    );
    env.agent("worker", &format!(r#"echo "$@" > args; {DONE}"#));
    let output = run(&env, &["--chain", "single-task", "TASK_ID=TASK-001"]);
    assert_eq!(verdict(&output), "[forkhestra] Chain complete (1/1 steps)", "{output}");
    assert_eq!(env.read("args"), "--task TASK-001\n");
}

#[test]
fn the_outcome_of_every_step_is_recorded() {
    let env = TestEnv::new();
    env.agent("once", "").agent("done", DONE).agent("bad", "exit 5");
    assert_eq!(run(&env, &["once -> done:3 -> bad -> once"]).code, Some(1));
    let ends: Vec<String> = events(&env, "step_finished")
        .iter()
        .map(|event| format!("{}: {}", event["step"], event["reason"]))
        .collect();
    assert_eq!(ends, [r#"1: "exit_code""#, r#"2: "marker""#, r#"3: "failed""#]);
    let finished = &events(&env, "run_finished")[0];
    assert_eq!(finished["end"]["kind"], "incomplete");
    assert_eq!(finished["end"]["step"], 3);
    assert_eq!(finished["end"]["end"]["end"]["code"], 5);
}

#[test]
fn an_agent_can_occur_in_several_steps() {
    let env = TestEnv::new();
    env.agent(
        "a",
        "echo $FORKHESTRA_STEP >> steps; [ $FORKHESTRA_STEP = 1 ] || echo FORKHESTRA_COMPLETE",
    );
    let output = run(&env, &["a -> a:3 -> a:2"]);
    assert_eq!(verdict(&output), "[forkhestra] Chain complete (3/3 steps)", "{output}");
    assert_eq!(env.read("steps"), "1\n2\n3\n");
}
