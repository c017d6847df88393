//! Command lines about control flow that are refused: exit code 2, and one message.

use serde_json::Value;
use testkit::TestEnv;

use crate::forkhestra;
use crate::support::agents_at_work::{id, only_run, run, runs};
use crate::support::run_in_progress::RunInProgress;

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
    for word in [&id, &id[..2]] {
        let names_run = format!("it also names run {id}");
        assert_refused(&env, &["resume", "--approve", word], &names_run);
        assert_refused(&env, &["approve", word], &format!("error: run {id} is over: "));
    }
    for word in ["8t2s92", "/nonexistent/x.jsonl"] {
        assert_refused(&env, &["resume", "--deny", word], "looks like a run");
    }
}

/// The answer would go to the run of this work tree, with the word as its comment.
#[test]
fn a_word_that_names_another_run_or_none_does_not_answer() {
    let env = TestEnv::new();
    env.agent("fails", "exit 3").agent("plan", "exit 0").write("other/README", "");
    let code = run(&env, &["--cwd", "other", "fails"]).code;
    assert_eq!(code, Some(1));
    let other = id(&only_run(&env)).to_owned();
    let asking = RunInProgress::start(&env, &["plan -> ?"], ", in quotation marks\n");
    let runs = runs(&env);
    let own = runs.iter().map(|run| id(run)).find(|run| **run != other).expect("it asks");
    let is_of_other = |length: &usize| !own.starts_with(&other[..*length]);
    let prefix = (1..8).find(is_of_other).map(|length| &other[..length]).expect("they differ");
    let is_over = format!("error: run {other} is over: ");
    for verb in ["approve", "deny"] {
        for word in [prefix, &prefix.to_uppercase(), &other] {
            assert_refused(&env, &[verb, word], &is_over);
        }
        for word in ["8t2s92", "8t2s9jqqx", "/nonexistent/x.jsonl", "journal.jsonl"] {
            let hint = format!("hint: if it is the comment: forkhestra {verb} RUN {word}\n");
            assert_refused(&env, &[verb, word], &hint);
        }
    }
    assert!(journal_of(&env, own).iter().all(|event| event["event"] != "answered"));
    let said = run(&env, &["approve", "yes"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert_eq!(asking.release().1, Some(0));
    let journal = journal_of(&env, own);
    let answer = journal.iter().find(|event| event["event"] == "answered");
    assert_eq!(answer.map(|event| &event["text"]), Some(&"yes".into()));
}

/// The events of a run.
fn journal_of(env: &TestEnv, id_of_run: &str) -> Vec<Value> {
    let run = runs(env).into_iter().find(|run| id(run) == id_of_run).expect("it is there");
    let journal = std::fs::read_to_string(run.join("journal.jsonl")).expect("it is a file");
    journal.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// The command that should have written the comment may have failed.
#[test]
fn an_empty_standard_input_is_no_comment() {
    let env = TestEnv::new();
    assert_refused(&env, &["approve", "-"], "error: there is no comment on standard input\n");
}

/// The comment is not lost in the command that is advised.
#[test]
fn an_answer_to_a_run_that_is_over_is_kept_in_the_hint() {
    let env = TestEnv::new();
    env.agent("plan", "exit 0");
    let asking = RunInProgress::start(&env, &["plan -> ?"], ", in quotation marks\n");
    forkhestra(&env, &["stop"]).success();
    asking.release();
    let id = id(&only_run(&env)).to_owned();
    let hint = format!("forkhestra resume {id} --approve 'Use tabs.'\n");
    assert_refused(&env, &["approve", "Use tabs."], &hint);
    assert_refused(&env, &["approve", &id, "Use tabs."], &hint);
}
