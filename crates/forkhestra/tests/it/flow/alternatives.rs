//! What runs instead of a step that is not complete.

use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, events, iterations, run};

/// Keeps the reason that the agent was given.
const KEEPS_REASON: &str = "printf '%s' \"$FORKHESTRA_FEEDBACK\" > reason-$FORKHESTRA_ITERATION";

#[test]
fn the_last_alternative_decides_about_the_chain() {
    let env = TestEnv::new();
    env.agent("cheap", "echo no").agent("better", "exit 3").agent("best", DONE);
    let output = run(&env, &["cheap:2 else better else best:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "1-2-1", "2-1-1", "3-1-1"]);
    env.agent("best", "echo no");
    let output = run(&env, &["cheap:1 else better else best:2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("step 3, best, not complete after 2 iterations"), "{output}");
}

#[test]
fn an_alternative_after_the_last_round_is_given_the_reason() {
    let env = TestEnv::new();
    env.agent("fixer", DONE).agent("ci", "echo 'a test failed'; exit 1");
    env.agent("senior", &format!("{KEEPS_REASON}\n{DONE}"));
    let output = run(&env, &["(fixer:1 -> ci):2 else senior:3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "2-1-1", "1-2-1", "2-2-1", "3-1-1"]);
    let reason = env.read("reason-1");
    assert!(reason.starts_with("`ci` did not complete this work ("), "{reason}");
    assert!(reason.ends_with("  | a test failed\n"), "{reason}");
}

#[test]
fn each_round_of_an_alternative_is_given_its_own_reason() {
    let env = TestEnv::new();
    env.agent("cheap", "echo no");
    env.agent("fixer", &format!("{KEEPS_REASON}\n{DONE}"));
    env.agent("ci", "[ $FORKHESTRA_ITERATION -ge 2 ] || { echo 'a test failed'; exit 1; }");
    let output = run(&env, &["cheap:1 else (fixer:1 -> ci):3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(env.read("reason-1").starts_with("`cheap` did not complete this work ("));
    let expected = "`ci` did not accept the work of round 1:\n\n  | a test failed\n";
    assert_eq!(env.read("reason-2"), expected);
}

#[test]
fn an_alternative_in_a_round_is_decided_anew_in_each() {
    let env = TestEnv::new();
    env.agent("cheap", &format!("[ $FORKHESTRA_ITERATION -lt 2 ] || {DONE}"));
    env.agent("senior", DONE);
    env.agent("ci", "[ $FORKHESTRA_ITERATION -ge 2 ]");
    let output = run(&env, &["(cheap:1 else senior:1 -> ci):3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "2-1-1", "3-1-1", "1-2-1", "3-2-1"]);
}

#[test]
fn a_limit_of_the_run_has_no_alternative() {
    let env = TestEnv::new();
    env.agent("slow", "exec sleep 60").agent("senior", DONE);
    let output = run(&env, &["slow:3 else senior:3", "--max-time", "1s"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(events(&env, "run_finished")[0]["end"]["reason"], "run_time");
    assert_eq!(iterations(&env), ["1-1-1"]);
}

#[test]
fn a_resume_goes_on_with_the_alternative_and_not_with_what_it_replaces() {
    let env = TestEnv::new();
    env.agent("cheap", "echo no").agent("senior", "echo no");
    let output = run(&env, &["cheap:1 else senior:1"]);
    assert_eq!(output.code, Some(1), "{output}");
    env.agent("senior", DONE);
    let output = run(&env, &["resume", "--max-iterations", "2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "2-1-1", "2-2-1"]);
}
