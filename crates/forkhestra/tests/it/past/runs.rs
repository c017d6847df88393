//! `forkhestra runs`: the list.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, id};
use crate::support::past_runs::{
    cut_off, damage, normalised_output, normalised_output_in, past, shown, with_agents,
    write_in_future,
};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};
use crate::{CONFIG, forkhestra};

fn json(env: &TestEnv, args: &[&str]) -> Value {
    let text = forkhestra(env, &[&["runs", "--json"], args].concat());
    serde_json::from_str(&text.stdout).expect("it is JSON")
}

#[test]
fn each_run_has_a_line_and_the_newest_comes_first() {
    let env = with_agents();
    past(&env, &["done:3 -> idle:2"]);
    past(&env, &["fails"]);
    past(&env, &["done"]);
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION
    [id]  done  complete  1/1 done  1  [date] [time]  [duration]
    [id]  fails  failed  1/1 fails  1  [date] [time]  [duration]
    [id]  done:3 -> idle:2  max_iterations  2/2 idle  2/2  [date] [time]  [duration]
    ");
}

#[test]
fn a_chain_of_the_config_goes_by_its_name() {
    let env = with_agents();
    env.write(CONFIG, r#"{ "chains": { "nightly": { "steps": [{ "agent": "done" }] } } }"#);
    past(&env, &["--chain", "nightly"]);
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION
    [id]  nightly  complete  1/1 done  1  [date] [time]  [duration]
    ");
}

#[test]
fn runs_of_all_work_trees_show_their_directory() {
    let env = with_agents();
    env.write_home("shop/keep", "");
    past(&env, &["done"]);
    past(&env, &["fails", "--cwd", "../home/shop"]);
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION
    [id]  done  complete  1/1 done  1  [date] [time]  [duration]
    ");
    assert_snapshot!(normalised_output(&env, &["runs", "--all"]), @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION  DIRECTORY
    [id]  fails  failed  1/1 fails  1  [date] [time]  [duration]  ~/shop
    [id]  done  complete  1/1 done  1  [date] [time]  [duration]  $TEST/project
    ");
    let from_there = normalised_output_in(&env, &env.home().join("shop"), &["runs"]);
    assert_snapshot!(from_there, @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION
    [id]  fails  failed  1/1 fails  1  [date] [time]  [duration]
    ");
    assert_eq!(
        normalised_output(&env, &["runs", "--cwd", "../home/shop"]).stdout,
        from_there.stdout
    );
}

#[test]
fn a_project_without_runs_is_reported_without_an_error() {
    let env = with_agents();
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ------- stderr -------
    There are no runs here.
    ");
    assert_snapshot!(normalised_output(&env, &["runs", "--all"]), @"
    ------- stderr -------
    There are no runs.
    ");
    assert_eq!(forkhestra(&env, &["runs", "--json"]).success(), "[]\n");
    env.write_home("shop/keep", "");
    past(&env, &["done", "--cwd", "../home/shop"]);
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ------- stderr -------
    There are no runs of this work tree; `forkhestra runs --all` lists 1 run of others.
    ");
}

#[test]
fn an_active_run_is_listed_as_running() {
    let env = TestEnv::new();
    env.agent("done", DONE).agent("a", &format!("echo ready; {WAIT_FOR_GO}\n{DONE}"));
    let run = RunInProgress::start(&env, &["done -> a:3"], "ready\n");
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION
    [id]  done -> a:3  running  2/2 a  0/3  [date] [time]  [duration]
    ");
    assert_eq!(run.release().1, Some(0));
    assert!(normalised_output(&env, &["runs"]).stdout.contains("complete"));
}

#[test]
fn a_killed_run_is_listed_as_interrupted() {
    let env = with_agents();
    cut_off(&env);
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION
    [id]  idle:3  interrupted  1/1 idle  1/3  [date] [time]  [duration]
    ");
}

#[test]
fn a_damaged_run_does_not_hide_other_runs() {
    let env = with_agents();
    past(&env, &["fails"]);
    let damaged = past(&env, &["done"]);
    damage(&damaged);
    past(&env, &["idle:1"]);
    let output = normalised_output(&env, &["runs"]);
    assert_eq!(output.code, Some(0));
    let mut lines: Vec<&str> = output.stdout.lines().collect();
    // Its start is known only to the second, so its position varies.
    lines.sort();
    assert_snapshot!(lines.join("\n"), @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION
    [id]  damaged  [date] [time]
    [id]  fails  failed  1/1 fails  1  [date] [time]  [duration]
    [id]  idle:1  max_iterations  1/1 idle  1/1  [date] [time]  [duration]
    ");
    assert_snapshot!(output.stderr, @"
    warning: run [id] cannot be read: line 3 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is not JSON: expected `,` or `}` at column 9
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iteration 1 of step 1
    ");
    let runs = json(&env, &[]);
    let runs = runs.as_array().expect("it is a list");
    assert_eq!(runs.len(), 3);
    let found = runs.iter().find(|run| run["id"] == id(&damaged)).expect("it is in the list");
    assert_eq!(found["status"], "damaged");
    assert_eq!(found["directory"], shown(&env, &damaged));
    assert!(found["error"].as_str().is_some_and(|error| error.starts_with("line 3 of ")));
    let keys: Vec<&String> = found.as_object().expect("it is an object").keys().collect();
    assert_eq!(keys, ["directory", "error", "id", "startedAt", "status"]);
}

#[test]
fn a_run_of_a_newer_version_is_not_called_damaged() {
    let env = with_agents();
    write_in_future(&past(&env, &["done"]));
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ID  CHAIN  STATE  STEP  ITERATIONS  STARTED (UTC)  DURATION
    [id]  unreadable  [date] [time]
    ------- stderr -------
    warning: run [id] cannot be read: line 1 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is written in format 5.0, but this program reads it up to 4.x
    hint: a newer version of forkhestra wrote it, and is needed to read it
    ");
    assert_eq!(json(&env, &[])[0]["status"], "unreadable");
}

#[test]
fn a_run_that_never_began_is_skipped() {
    let env = with_agents();
    let run = past(&env, &["done"]);
    fs::remove_file(run.join("journal.jsonl")).expect("it is ours");
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ------- stderr -------
    There are no runs here.
    ");
}

#[test]
fn json_contains_all_fields() {
    let env = with_agents();
    let run = past(&env, &["done:3 -> idle:2"]);
    let runs = json(&env, &[]);
    let first = &runs[0];
    assert_eq!(first["directory"], shown(&env, &run));
    let mut known = first.clone();
    for key in ["id", "startedAt", "updatedAt", "completedAt", "durationMs", "directory"] {
        let value = known.as_object_mut().and_then(|known| known.remove(key));
        assert!(value.is_some_and(|value| !value.is_null()), "{key}");
    }
    known["workingDirectory"] = "…".into();
    assert_snapshot!(serde_json::to_string(&known).expect("it is JSON"), @r#"{"agent":"idle","chain":null,"cost":null,"costAtLeast":null,"definition":"done:3 -> idle:2","iterations":3,"maxIterations":2,"reason":"max_iterations","status":"max_iterations","step":2,"stepIterations":2,"steps":2,"tokens":null,"workingDirectory":"…"}"#);
}

#[test]
fn another_state_directory_has_other_runs() {
    let env = with_agents();
    past(&env, &["done", "--state-dir", "state"]);
    assert_snapshot!(normalised_output(&env, &["runs"]), @"
    ------- stderr -------
    There are no runs here.
    ");
    assert_eq!(json(&env, &["--state-dir", "state"]).as_array().map(Vec::len), Some(1));
    assert_eq!(json(&env, &["--state-dir", "nowhere"]), serde_json::json!([]));
}

#[test]
fn a_state_directory_that_cannot_be_read_is_an_error() {
    let env = with_agents();
    let run = past(&env, &["done"]);
    let tree = run.parent().expect("it is below");
    fs::remove_dir_all(tree).and_then(|()| fs::write(tree, "")).expect("it is ours");
    let message = forkhestra(&env, &["runs"]).failure(2);
    assert!(
        message.starts_with("error: cannot read $TEST/home/.local/state/forkhestra/"),
        "{message}"
    );
}

#[test]
fn wrong_arguments_get_suggestions() {
    let env = TestEnv::new();
    assert_snapshot!(forkhestra(&env, &["runs", "k3v"]).failure(2), @"
    error: unexpected argument `k3v`
    hint: to see one run: forkhestra show k3v
    hint: for the options and their values see `forkhestra runs --help`
    ");
    assert_snapshot!(forkhestra(&env, &["runs", "prnue"]).failure(2), @"
    error: unexpected argument `prnue`
    hint: did you mean `prune`?
    hint: for the options and their values see `forkhestra runs --help`
    ");
    assert_snapshot!(forkhestra(&env, &["runs", "--json", "rm", "k3v"]).failure(2), @"
    error: the subcommand 'rm' cannot be used with '--json'
    hint: for the options and their values see `forkhestra runs --help`
    ");
    assert_snapshot!(forkhestra(&env, &["runs", "--al"]).failure(2), @"
    error: unknown option `--al`
    hint: did you mean `--all`?
    hint: for the options and their values see `forkhestra runs --help`
    ");
    assert_snapshot!(forkhestra(&env, &["--quiet", "runs"]).failure(2), @"
    error: unknown option `--quiet`
    hint: for the options and their values see `forkhestra runs --help`
    ");
}

#[test]
fn control_characters_in_names_are_escaped() {
    let env = with_agents();
    env.write("\u{1b}[2J/keep", "");
    past(&env, &["idle", "--cwd", "\u{1b}[2J"]);
    for args in [&["runs", "--all"][..], &["show", "-v", "--cwd", "\u{1b}[2J"]] {
        let shown = forkhestra(&env, args).success();
        assert!(!shown.contains('\u{1b}') && shown.contains(r"\u{1b}[2J"), "{shown}");
    }
}
