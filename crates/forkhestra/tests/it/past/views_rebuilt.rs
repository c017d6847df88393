//! `forkhestra runs rebuild` rebuilds views from journals.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::TestEnv;

use crate::resume::recovery::truncate_after_event;
use crate::support::agents_at_work::{DONE, id, only_run, run, runs};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// A loop that completes in its second iteration, and an agent that fails.
fn project() -> TestEnv {
    let env = TestEnv::new();
    env.agent("a", &format!("[ $FORKHESTRA_ITERATION = 2 ] && {DONE}; exit 0"));
    env.agent("b", "exit 3");
    env
}

/// Every file of the view, by name.
fn files(env: &TestEnv) -> BTreeMap<String, String> {
    let entries = fs::read_dir(env.project().join(".agent-state")).expect("there is a view");
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read_to_string(entry.path()).expect("it can be read"))
    };
    entries.flatten().map(file).collect()
}

fn remove_view(env: &TestEnv) {
    fs::remove_dir_all(env.project().join(".agent-state")).expect("there is a view");
}

#[test]
fn a_deleted_view_is_rebuilt_identically() {
    let env = project();
    assert_eq!(run(&env, &["a:5 -> b"]).code, Some(1));
    assert_eq!(run(&env, &["resume"]).code, Some(1));
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let before = files(&env);
    remove_view(&env);
    let output = run(&env, &["runs", "rebuild"]);
    assert_snapshot!(output, @"Rebuilt the view of 2 runs in $TEST/project/.agent-state");
    let after = files(&env);
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&after), names(&before));
    for (name, text) in before {
        assert_eq!(after[&name], text, "{name}");
    }
}

/// Opening a pipe blocks until its other end is opened, and a device may be endless.
#[test]
fn a_pipe_or_device_is_not_read_as_the_log() {
    let env = project();
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let log = env.project().join(".agent-state/iterations.jsonl");
    let runs = runs(&env);
    let id = id(&runs[0]);
    fs::remove_file(&log).expect("it is there");
    let rebuilt = |args: &[&str]| {
        assert_eq!(run(&env, args).code, Some(0), "it makes another log");
        let metadata = fs::symlink_metadata(&log).expect("it is there");
        assert!(metadata.is_file());
        fs::remove_file(&log).expect("it is there");
    };
    let made = Command::new("mkfifo").arg(&log).status();
    assert!(made.expect("mkfifo is installed").success());
    rebuilt(&["runs", "rebuild", id]);
    symlink("/dev/zero", &log).expect("there is room");
    rebuilt(&["runs", "rebuild"]);
}

#[test]
fn the_view_of_an_interrupted_run_names_no_process() {
    let env = project();
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let directory = only_run(&env);
    let journal = fs::read_to_string(directory.join("journal.jsonl")).expect("there is a journal");
    let until_an_agent_was_at_work = 4;
    truncate_after_event(&directory, &journal, until_an_agent_was_at_work);
    assert_eq!(run(&env, &["runs", "rebuild"]).code, Some(0));
    let chain = env.read(&format!(".agent-state/chain-{}.json", id(&directory)));
    let chain: Value = serde_json::from_str(&chain).expect("it is JSON");
    assert_eq!((&chain["status"], chain.get("running")), (&"interrupted".into(), None));
}

#[test]
fn invalid_lines_of_the_log_are_removed() {
    let env = project();
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let log = env.read(".agent-state/iterations.jsonl");
    env.write(".agent-state/iterations.jsonl", format!("rubbish\n{log}{log}"));
    assert_eq!(run(&env, &["runs", "rebuild"]).code, Some(0));
    assert_eq!(env.read(".agent-state/iterations.jsonl"), log);
}

#[test]
fn lines_of_runs_that_cannot_be_rebuilt_stay() {
    let env = project();
    assert_eq!(run(&env, &["a:5", "--state-dir", "../elsewhere"]).code, Some(0));
    let other = env.read(".agent-state/iterations.jsonl");
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let both = env.read(".agent-state/iterations.jsonl");
    assert_eq!(run(&env, &["runs", "rebuild"]).code, Some(0));
    assert_eq!(env.read(".agent-state/iterations.jsonl"), both);
    assert!(both.starts_with(&other) && both.len() > other.len());
}

#[test]
fn one_run_can_be_named() {
    let env = project();
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    remove_view(&env);
    let all = runs(&env);
    let second = id(&all[1]);
    assert_eq!(run(&env, &["runs", "rebuild", second]).code, Some(0));
    let names: Vec<String> = files(&env).into_keys().collect();
    let expected = [
        ".gitignore".to_owned(),
        format!("chain-{second}.json"),
        "iterations.jsonl".to_owned(),
        format!("run-{second}-1.json"),
        format!("summary-{second}.md"),
    ];
    assert_eq!(names, expected);
    assert_eq!(env.read(".agent-state/iterations.jsonl").lines().count(), 2);
}

#[test]
fn the_view_of_an_active_run_is_not_rebuilt() {
    let env = project();
    env.agent("waiter", WAIT_FOR_GO);
    let at_work = RunInProgress::start(&env, &["waiter"], "Running: waiter\n");
    let output = run(&env, &["runs", "rebuild"]);
    assert_snapshot!(output, @"
    ------- stderr -------
    warning: run [id] is active, and writes its view by itself
    warning: there is no run here whose view could be rebuilt
    ");
    assert_eq!(at_work.release().1, Some(0));
}

#[test]
fn without_runs_nothing_is_rebuilt() {
    let env = project();
    let output = run(&env, &["runs", "rebuild"]);
    assert_snapshot!(output, @"
    ------- stderr -------
    warning: there is no run here whose view could be rebuilt
    ");
    assert!(!env.has(".agent-state"));
    assert_snapshot!(run(&env, &["runs", "rebuild", "zzz"]), @"
    ------- stderr -------
    error: there is no run `zzz`
    [exit status: 2]
    ");
}

#[test]
fn a_damaged_journal_does_not_stop_the_others() {
    let env = project();
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    remove_view(&env);
    let all = runs(&env);
    let journal = all[0].join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("it can be read");
    fs::write(&journal, text.replacen("\n{", "\nrubbish{", 1)).expect("it is ours");
    let output = run(&env, &["runs", "rebuild"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("line 2 of "), "{output}");
    assert!(env.has(&format!(".agent-state/chain-{}.json", id(&all[1]))));
}
