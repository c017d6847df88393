//! Checks decide whether a step is complete.

use crate::support::{
    DONE, check_outcomes, config, events_of, forkhestra, project, ralph, reason, verdicts,
};

#[test]
fn a_marker_is_refused_until_the_check_passes() {
    let env = project();
    env.agent("a", &format!("echo x >> tries; {DONE}"));
    let output = forkhestra(&env, &["a:9", "--check", "command:\"test $(grep -c x tries) -ge 3\""]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(
        verdicts(&env),
        ["refused checks_failed", "refused checks_failed", "complete marker"]
    );
    assert!(output.stdout.contains("Complete after 3 iterations"), "{output}");
    assert!(output.stdout.contains("claimed completion; refused: "), "{output}");
}

#[test]
fn without_a_completion_claim_nothing_is_checked() {
    let env = project();
    env.agent("a", "echo working");
    assert_eq!(forkhestra(&env, &["a:2", "--check", "command:false"]).code, Some(1));
    assert_eq!(events_of(&env, "check_finished").len(), 0);
    assert_eq!(verdicts(&env), ["incomplete", "incomplete"]);
}

#[test]
fn every_check_runs_although_the_first_one_fails() {
    let env = project();
    env.agent("a", DONE).write("there", "");
    let checks = ["command:false", "file:there", "file:missing", "exit-code", "marker:COMP.ETE"];
    let args: Vec<&str> = checks.iter().flat_map(|check| ["--check", check]).collect();
    assert_eq!(forkhestra(&env, &[&["a:1"], &args[..]].concat()).code, Some(1));
    assert_eq!(
        check_outcomes(&env),
        [
            "command:\"false\" failed",
            "file:there passed",
            "file:missing failed",
            "exit-code passed",
            "marker:COMP.ETE passed",
        ]
    );
}

#[test]
fn a_check_that_runs_always_runs_after_every_iteration() {
    let env = project();
    env.agent("a", "echo x >> tries; [ $FORKHESTRA_ITERATION = 2 ] && echo FORKHESTRA_COMPLETE");
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 3, "checks": [
        {"check": "command:true", "name": "green", "when": "always"},
        {"check": "command:test -s tries", "name": "late"}
    ]}]}}}"#,
    );
    assert_eq!(forkhestra(&env, &["--chain", "c"]).code, Some(0));
    assert_eq!(check_outcomes(&env), ["green passed", "green passed", "late passed"]);
}

#[test]
fn where_checks_decide_exit_code_0_is_required_and_sufficient() {
    let env = project();
    env.agent("a", "echo x >> tries; [ $(grep -c x tries) -ge 3 ]");
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 9,
        "completion": "checks", "checks": ["command:test -s tries"]}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["crashed", "crashed", "complete exit_code"]);
}

#[test]
fn where_checks_decide_a_failed_one_continues_the_loop() {
    let env = project();
    env.agent("a", "echo x >> tries");
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 9,
        "completion": "checks", "checks": ["command:test $(grep -c x tries) = 3"]}]}}}"#,
    );
    assert_eq!(forkhestra(&env, &["--chain", "c"]).code, Some(0));
    assert_eq!(verdicts(&env), ["incomplete", "incomplete", "complete exit_code"]);
}

#[test]
fn an_agent_that_runs_once_must_pass_its_checks() {
    let env = project();
    env.agent("a", "exit 0").agent("b", "touch started");
    let output = forkhestra(&env, &["a -> b", "--check", "a:command:false"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "checks_failed");
    assert!(!env.has("started"), "the chain went on");
}

#[test]
fn an_agent_that_runs_once_and_passes_its_checks_is_done() {
    let env = project();
    env.agent("a", "touch made");
    assert_eq!(forkhestra(&env, &["a", "--check", "file:made"]).code, Some(0));
    assert_eq!(verdicts(&env), ["complete exit_code"]);
}

#[test]
fn a_check_for_one_agent_is_not_for_another() {
    let env = project();
    env.agent("a", "exit 0").agent("b", "exit 0");
    assert_eq!(forkhestra(&env, &["a -> b", "--check", "b:command:true"]).code, Some(0));
    assert_eq!(check_outcomes(&env), ["command:\"true\" passed"]);
}

#[test]
fn ralph_runner_checks_after_every_iteration_and_accepts_exit_code_0() {
    let env = project();
    env.agent("a", "echo x >> tries");
    let check = "command:\"test $(grep -c x tries) = 2\"";
    let output = ralph(&env, &["--agent", "a", "--max-iterations", "5", "--check", check]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["incomplete", "complete exit_code"]);
    assert!(output.stdout.lines().any(|line| line.starts_with("[ralph] ")), "{output}");
    assert!(!output.stdout.contains("[forkhestra]"), "{output}");
}

#[test]
fn ralph_runner_without_checks_needs_the_marker() {
    let env = project();
    env.agent("a", "exit 0");
    let output = ralph(&env, &["--agent", "a", "--max-iterations", "2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "max_iterations");
}
