//! `forkhestra events`: the events of a run, in the format of its journal.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::TestEnv;

use crate::FORKHESTRA;
use crate::resume::recovery::truncate_after_event;
use crate::support::agents_at_work::{DONE, id, only_run, run};

/// A project with a finished run.
fn with_a_run() -> (TestEnv, PathBuf) {
    let env = TestEnv::new();
    env.agent("a", &format!("[ -e once ] && {DONE}; touch once"));
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let directory = only_run(&env);
    (env, directory)
}

fn journal(run: &Path) -> String {
    fs::read_to_string(run.join("journal.jsonl")).expect("there is a journal")
}

fn write(run: &Path, journal: &str) {
    fs::write(run.join("journal.jsonl"), journal).expect("the journal is ours");
    let _ = fs::remove_file(run.join("overview.json"));
}

/// A journal with an inserted line at this index; the sequence numbers of the others are adjusted.
pub(crate) fn with_line(journal: &str, place: usize, members: &Value) -> String {
    let mut lines: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let mut line = lines[place].clone();
    line.as_object_mut()
        .expect("it is an object")
        .retain(|key, _| ["at", "elapsedMs"].contains(&key.as_str()));
    for (key, value) in members.as_object().expect("it is an object") {
        line[key] = value.clone();
    }
    lines.insert(place, line);
    for (seq, line) in lines.iter_mut().enumerate() {
        line["seq"] = json!(seq);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_lines_are_those_of_the_journal_and_of_output_json() {
    let env = TestEnv::new();
    env.agent("a", DONE);
    let printed = env.run(FORKHESTRA, &["a:2", "--output", "json"]).success();
    let directory = only_run(&env);
    assert_eq!(env.run(FORKHESTRA, &["events"]).success(), printed);
    for name in [id(&directory), &id(&directory)[..3], directory.to_str().expect("it is text")] {
        let output = env.command(FORKHESTRA).args(["events", name]).output().expect("it starts");
        assert_eq!(output.stdout, journal(&directory).into_bytes(), "{name}");
    }
}

#[test]
fn events_can_start_at_a_number() {
    let (env, directory) = with_a_run();
    let whole = journal(&directory);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    for since in [0, 1, 4, lines.len() - 1, lines.len(), 1_000_000] {
        let rest: String = lines.iter().skip(since).copied().collect();
        let since = since.to_string();
        let output = env.command(FORKHESTRA).args(["events", "--since", &since]).output();
        assert_eq!(output.expect("it starts").stdout, rest.into_bytes(), "{since}");
    }
    assert_snapshot!(run(&env, &["events", "--since", "soon"]).failure(2), @"
    error: invalid value 'soon' for '--since <SEQ>': is not the number of an event; they count from 0
    hint: for the options and their values see `forkhestra events --help`
    ");
}

#[test]
fn events_of_a_newer_version_are_printed() {
    let (env, directory) = with_a_run();
    let newer = with_line(&journal(&directory), 3, &json!({ "event": "later", "seen": [1] }));
    let newer = newer.replace(r#""format":"4.0""#, r#""format":"4.9""#);
    write(&directory, &newer);
    let output = env.command(FORKHESTRA).args(["events"]).output().expect("it starts");
    assert_eq!((output.stdout, output.stderr), (newer.into_bytes(), Vec::new()));
}

#[test]
fn a_newer_major_version_is_refused() {
    let (env, directory) = with_a_run();
    write(&directory, &journal(&directory).replace(r#""format":"4.0""#, r#""format":"5.0""#));
    assert_snapshot!(run(&env, &["events"]).failure(2), @"
    error: line 1 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is written in format 5.0, but this program reads it up to 4.x
    hint: a newer version of forkhestra wrote it, and is needed to read it
    ");
}

#[test]
fn a_torn_last_line_is_left_out_with_a_warning() {
    let (env, directory) = with_a_run();
    let whole = journal(&directory);
    write(&directory, &format!("{whole}{{\"seq\":"));
    let output = env.command(FORKHESTRA).args(["events"]).output().expect("it starts");
    assert_eq!(output.stdout, whole.into_bytes());
    let message = String::from_utf8(output.stderr).expect("it is text");
    assert_snapshot!(message, @"warning: the journal was not written to its end, which is cut off (7 bytes)");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn zero_bytes_after_a_power_failure_are_left_out() {
    let (env, directory) = with_a_run();
    let whole = journal(&directory);
    write(&directory, &format!("{whole}\0\0\0\0\n"));
    let output = env.command(FORKHESTRA).args(["events", "-f"]).output().expect("it starts");
    assert_eq!(output.stdout, whole.into_bytes());
    let message = String::from_utf8(output.stderr).expect("it is text");
    assert_snapshot!(message, @"warning: the journal was not written to its end, which is cut off (5 bytes)");
}

#[test]
fn output_ends_at_a_damaged_line() {
    let (env, directory) = with_a_run();
    let whole = journal(&directory);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let damaged = whole.replacen(lines[3], &format!("x{}", lines[3]), 1);
    write(&directory, &damaged);
    let output = run(&env, &["events"]);
    assert_eq!(output.stdout.lines().count(), 3, "{output}");
    assert!(lines[3].contains("agent_started"));
    assert_eq!(output.code, Some(2), "{output}");
    assert_snapshot!(output.stderr, @"
    error: line 4 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is not JSON: expected value at column 1
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iterations 1 to 2 of step 1
    ");
    // A missing line is detected, too.
    write(&directory, &[lines[0], lines[2]].concat());
    let output = run(&env, &["events"]);
    assert_eq!((output.code, output.stdout.lines().count()), (Some(2), 1), "{output}");
    assert_snapshot!(output.stderr, @"
    error: line 2 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl has the number 2 instead of 1
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iteration 1 of step 1
    ");
}

#[test]
fn following_a_finished_run_ends_at_once() {
    let (env, directory) = with_a_run();
    let output = env.command(FORKHESTRA).args(["events", "--follow"]).output().expect("it starts");
    assert_eq!((output.stdout, output.stderr), (journal(&directory).into_bytes(), Vec::new()));
}

#[test]
fn following_an_interrupted_run_reports_it() {
    let (env, directory) = with_a_run();
    truncate_after_event(&directory, &journal(&directory), 4);
    let followed = run(&env, &["events", "-f"]);
    assert_eq!((followed.code, followed.stdout.lines().count()), (Some(0), 4), "{followed}");
    assert_snapshot!(followed.stderr, @"
    warning: run [id] was cut off: no process works on it any more
    hint: to resume: forkhestra resume [id]
    ");
    // Without `-f` there is no message about the state of the run.
    assert_eq!(run(&env, &["events"]).stderr, "");
}

#[test]
fn a_name_or_path_that_is_no_run_is_an_error() {
    let env = TestEnv::new();
    assert_snapshot!(run(&env, &["events"]).failure(2), @"
    error: there are no runs of this work tree
    hint: `forkhestra runs --all` lists those of all work trees
    ");
    assert_snapshot!(run(&env, &["events", "abc", "-f"]).failure(2), @"error: there is no run `abc`");
    let (env, directory) = with_a_run();
    write(&directory, "");
    assert_snapshot!(run(&env, &["events", id(&directory), "-f"]).failure(2), @"error: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl holds no complete line");
    write(
        &directory,
        "{\"seq\":0,\"at\":\"2026-11-15T09:25:06.181Z\",\"elapsedMs\":0,\"event\":\"x\"}\n",
    );
    assert_snapshot!(run(&env, &["events", id(&directory)]).failure(2), @"
    error: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is not the journal of a run
    hint: without its first line, which held the plan, a run cannot be resumed: start a new one
    hint: what its agents printed is still there: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output
    ");
}

#[test]
fn every_line_is_valid_by_the_schema() {
    let (env, _) = with_a_run();
    let schema: Value = serde_json::from_str(&run(&env, &["schema", "events"]).success())
        .expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a JSON Schema");
    let lines = run(&env, &["events"]).success();
    assert!(lines.lines().count() > 6);
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).expect("every line is JSON");
        if let Err(error) = validator.validate(&line) {
            panic!("{line}\nat {}: {error}", error.instance_path());
        }
    }
}
