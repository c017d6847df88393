//! Runs that cannot be resumed: exit code 2, and no agent is started.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{id, only_run, run, steady};

/// A project with one failed run; the file `started` is removed afterwards.
fn failed() -> TestEnv {
    let env = TestEnv::new();
    env.agent("a", "touch started; exit 1").write("sub/keep", "");
    assert_eq!(run(&env, &["a", "--cwd", "sub"]).code, Some(1));
    fs::remove_file(env.project().join("sub/started")).expect("the agent has started");
    env
}

#[track_caller]
fn refused(env: &TestEnv, args: &[&str]) -> String {
    let message = run(env, &[&["resume"], args].concat()).failure(2);
    assert!(!env.has("sub/started"), "an agent was started");
    message
}

/// Replaces the timestamps in a list of runs.
pub(crate) fn without_moments(text: &str) -> String {
    let pieces = text.split("started ");
    let normalised = pieces.enumerate().map(|(index, piece)| match piece.split_once(')') {
        Some((_, rest)) if index > 0 => format!("[moment]){rest}"),
        _ => piece.to_owned(),
    });
    normalised.collect::<Vec<_>>().join("started ")
}

/// Changes the journal of the only run.
fn change_journal(env: &TestEnv, change: impl Fn(&str) -> String) {
    let file = only_run(env).join("journal.jsonl");
    let text = fs::read_to_string(&file).expect("there is a journal");
    fs::write(&file, change(&text)).expect("the journal is ours");
    let _ = fs::remove_file(only_run(env).join("overview.json"));
}

/// A run directory that looks like another run whose id has another end.
fn copy_with_similar_id(env: &TestEnv) -> PathBuf {
    let run = only_run(env);
    let name = run.file_name().and_then(|name| name.to_str()).expect("it has a name");
    let last = if name.ends_with('0') { '1' } else { '0' };
    let other = run.with_file_name(format!("{}{last}", &name[..name.len() - 1]));
    fs::create_dir(&other).expect("the directory is ours");
    fs::copy(run.join("journal.jsonl"), other.join("journal.jsonl")).expect("it can be copied");
    other
}

#[test]
fn a_work_tree_without_runs() {
    assert_snapshot!(run(&TestEnv::new(), &["resume"]).failure(2), @"
    error: there is nothing to resume here
    hint: runs are found from the work tree that they ran in, or by their id
    ");
}

#[test]
fn a_work_tree_whose_runs_are_complete() {
    let env = TestEnv::new();
    env.agent("a", "");
    assert_eq!(run(&env, &["a"]).code, Some(0));
    assert_snapshot!(run(&env, &["resume"]).failure(2), @"
    error: there is nothing to resume here
    hint: the last run here, [id], is complete
    ");
}

#[test]
fn a_name_that_no_run_has() {
    assert_snapshot!(without_moments(&refused(&failed(), &["zzz"])), @"
    error: there is no run `zzz`
    hint: the newest runs are: [id] (a, failed, started [moment])
    ");
}

#[test]
fn a_name_that_several_runs_have() {
    let env = failed();
    let run = only_run(&env);
    copy_with_similar_id(&env);
    let message = refused(&env, &[&id(&run)[..7]]);
    let prefix = &id(&run)[..7];
    assert_snapshot!(without_moments(&message).replace(&format!("`{prefix}`"), "`[prefix]`"), @"
    error: several runs begin with `[prefix]`
    hint: one of: [id] (a, failed, started [moment]), [id] (a, failed, started [moment])
    ");
}

#[test]
fn paths_that_are_no_runs() {
    let env = failed();
    env.write("notes.txt", "these are no events");
    assert_snapshot!(refused(&env, &["./missing"]), @"error: cannot find $TEST/project/./missing: No such file or directory (os error 2)");
    assert_snapshot!(refused(&env, &["./sub"]), @"error: $TEST/project/./sub is neither the directory nor the journal nor a view of a run");
    assert_snapshot!(refused(&env, &["notes.txt"]), @"error: $TEST/project/notes.txt is neither the directory nor the journal nor a view of a run");
}

#[test]
fn a_line_in_the_middle_that_is_damaged() {
    let env = failed();
    change_journal(&env, |text| text.replacen("{\"seq\":2,", "{\"seq\":2;", 1));
    assert_snapshot!(refused(&env, &[id(&only_run(&env))]), @"
    error: line 3 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is not JSON: expected `,` or `}` at column 9
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iteration 1 of step 1
    ");
}

#[test]
fn a_line_in_the_middle_that_is_missing() {
    let env = failed();
    change_journal(&env, |text| {
        let lines = text.split_inclusive('\n');
        lines.enumerate().filter(|(index, _)| *index != 2).map(|(_, line)| line).collect()
    });
    assert_snapshot!(refused(&env, &[id(&only_run(&env))]), @"
    error: line 3 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl has the number 3 instead of 2
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iteration 1 of step 1
    ");
}

#[test]
fn a_journal_of_a_newer_major_version() {
    let env = failed();
    change_journal(&env, |text| text.replacen("\"format\":\"4.0\"", "\"format\":\"5.0\"", 1));
    assert_snapshot!(refused(&env, &[id(&only_run(&env))]), @"
    error: line 1 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is written in format 5.0, but this program reads it up to 4.x
    hint: a newer version of forkhestra wrote it, and is needed to read it
    ");
}

/// The journal can be read, but a newer version might misread what this version appends.
#[test]
fn a_journal_of_a_newer_minor_version() {
    let env = failed();
    change_journal(&env, |text| text.replacen("\"format\":\"4.0\"", "\"format\":\"4.7\"", 1));
    assert_snapshot!(refused(&env, &[id(&only_run(&env))]), @"error: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is written in format 4.7, and 4.0 is the newest that can be continued");
}

#[test]
fn a_journal_without_a_single_line() {
    let env = failed();
    change_journal(&env, |_| String::new());
    assert_snapshot!(refused(&env, &[id(&only_run(&env))]), @"error: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl holds no complete line");
}

#[test]
fn a_missing_working_directory() {
    let env = failed();
    fs::remove_dir_all(env.project().join("sub")).expect("the directory is ours");
    assert_snapshot!(refused(&env, &[id(&only_run(&env))]), @"
    error: the working directory `$TEST/project/sub` does not exist
    hint: if the project was moved: forkhestra resume [id] --cwd NEW
    ");
}

#[test]
fn a_missing_program() {
    let env = failed();
    fs::remove_file(env.bin().join("a")).expect("the file is ours");
    assert_snapshot!(refused(&env, &[id(&only_run(&env))]), @"error: step 1: `a` is not installed (not found on PATH)");
}

/// The run can be resumed after the cause is removed.
#[test]
fn a_refusal_leaves_the_journal_unchanged() {
    let env = failed();
    change_journal(&env, |text| format!("{text}{{\"seq\":7,"));
    fs::remove_file(env.bin().join("a")).expect("the file is ours");
    let file = only_run(&env).join("journal.jsonl");
    let seen = || {
        let modified = fs::metadata(&file).and_then(|metadata| metadata.modified());
        (fs::read(&file).expect("it is there"), modified.expect("it is there"))
    };
    let before = seen();
    refused(&env, &[id(&only_run(&env))]);
    assert_eq!(seen(), before);
}

#[test]
fn a_variable_that_left_the_config() {
    let env = project(
        r#"{ "agents": { "w": { "command": "a", "env": { "TOKEN": "secret", "B": "x" } } }, "chains": {} }"#,
    );
    env.agent("a", "exit 1");
    assert_eq!(run(&env, &["w"]).code, Some(1));
    env.write(
        crate::CONFIG,
        r#"{ "agents": { "w": { "command": "a", "env": { "B": "x" } } }, "chains": {} }"#,
    );
    env.agent("a", "touch sub-started");
    assert_snapshot!(refused(&env, &[]), @"
    error: step 1: the variable `TOKEN` of `w` is in no config file any more
    hint: values are not kept with a run, since they may be secrets
    ");
    assert!(!env.has("sub-started"));
}

#[test]
fn an_empty_state_directory() {
    let env = failed();
    assert_snapshot!(refused(&env, &["--state-dir", "nothing-here"]), @"
    error: there is nothing to resume here
    hint: runs are found from the work tree that they ran in, or by their id
    ");
}

/// A run that was interrupted before its first event cannot be resumed.
#[test]
fn a_run_that_never_began_is_skipped() {
    let env = failed();
    let begun = only_run(&env);
    let empty = copy_with_similar_id(&env);
    fs::write(empty.join("journal.jsonl"), "").expect("the file is ours");
    let mut command = env.command(crate::FORKHESTRA);
    let output = env.output_of(command.args(["resume", "--cwd", "sub", "--quiet"]));
    assert_eq!(steady(&env, &output).code, Some(1), "{output}");
    assert!(lines(&begun) > 6 && lines(&empty) == 0);
}

fn lines(run: &Path) -> usize {
    fs::read_to_string(run.join("journal.jsonl")).map_or(0, |text| text.lines().count())
}
