//! Command lines about control flow that are refused: exit code 2, and one message.

use testkit::TestEnv;

use crate::forkhestra;
use crate::support::agents_at_work::{id, only_run, run};

#[track_caller]
fn assert_refused(env: &TestEnv, words: &[&str], expected: &str) {
    let output = forkhestra(env, words);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{words:?}: {output}");
    assert!(output.stderr.contains(expected), "{words:?}: {output}");
    assert_eq!(output.stderr.matches("error: ").count(), 1, "{words:?}: {output}");
}

#[test]
fn verbs_without_a_run_say_so() {
    let env = TestEnv::new();
    for words in [
        &["approve"][..],
        &["approve", "Use tabs."],
        &["deny"],
        &["deny", "No."],
        &["skip", "--group"],
    ] {
        assert_refused(&env, words, "error: no run is active in this work tree\n");
    }
    for words in
        [&["resume", "--approve"][..], &["resume", "--deny", "No."], &["resume", "--rounds", "3"]]
    {
        assert_refused(&env, words, "error: ");
    }
    assert_refused(&env, &["approve", "abcd2345", "Yes."], "error: there is no run `abcd2345`");
}

#[test]
fn a_resume_refuses_options_that_its_run_cannot_use() {
    let env = TestEnv::new();
    env.agent("fails", "exit 3");
    assert_eq!(run(&env, &["fails"]).code, Some(1));
    let id = id(&only_run(&env)).to_owned();
    let no_question = format!("error: run {id} has no open question\n");
    let no_rounds = format!("error: run {id} has no repeated group left\n");
    for (words, expected) in [
        (&["resume", "--approve"][..], no_question.as_str()),
        (&["resume", "--deny"], &no_question),
        (&["resume", "--rounds", "3"], &no_rounds),
        (&["resume", "--rounds", "0"], "--rounds"),
        (&["resume", "--group-time", "soon"], "--group-time"),
        (&["resume", "--group-cost", "much"], "--group-cost"),
        (&["resume", "--approve", "--deny"], "--deny"),
        (&["resume", "--yes"], "--yes"),
        (&["set", "--rounds", "x"], "--rounds"),
    ] {
        assert_refused(&env, words, expected);
    }
    // Nothing ran, and nothing changed.
    assert_eq!(run(&env, &["resume"]).code, Some(1));
}

/// A comment that is the start of a run id may be a run, whose comment was forgotten.
#[test]
fn the_id_of_a_run_is_not_taken_for_a_comment() {
    let env = TestEnv::new();
    env.agent("fails", "exit 3");
    assert_eq!(run(&env, &["fails"]).code, Some(1));
    let id = id(&only_run(&env)).to_owned();
    assert_refused(&env, &["resume", "--approve", &id], &format!("it is also the id of run {id}"));
    assert_refused(&env, &["approve", &id], &format!("error: run {id} is over: "));
}
