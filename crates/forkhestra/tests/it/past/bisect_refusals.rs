//! Command lines that `forkhestra bisect` refuses.

use std::fs;

use insta::assert_snapshot;

use super::bisect::{broken_in_fourth, checked_run, normalised};
use crate::run::stagnation::repository;
use crate::support::agents_at_work::{id, only_run};
use crate::support::past_runs::{past, with_agents};

#[test]
fn a_test_must_be_named_if_the_run_has_none() {
    let env = broken_in_fourth();
    assert_snapshot!(normalised(&env, &["bisect"]), @"
    ------- stderr -------
    error: there is no test for the snapshots: step 1 of run [id] has no check that can test a snapshot
    hint: name a command: `forkhestra bisect [id] -- cargo test`
    hint: or a check: `forkhestra bisect [id] --check 'command:cargo test'`
    [exit status: 2]
    ");
}

#[test]
fn checks_about_a_run_are_refused() {
    let env = broken_in_fourth();
    let checks = ["--check", "tasks", "--check", "exit-code", "--check", "file:"];
    assert_snapshot!(normalised(&env, &[&["bisect"], &checks[..]].concat()), @"
    ------- stderr -------
    error: `--check tasks` cannot test a snapshot: it is about the task database
    hint: a snapshot is tested by `command:…`, `file:PATH` or the path of a script, or by a command: `-- CMD`
    error: `--check exit-code` cannot test a snapshot: it is about an agent
    hint: a snapshot is tested by `command:…`, `file:PATH` or the path of a script, or by a command: `-- CMD`
    error: `--check file:` is incomplete; write `file:…`
    [exit status: 2]
    ");
    assert_snapshot!(normalised(&env, &["bisect", "--check", "file:x", "--", "true"]), @"
    ------- stderr -------
    error: the argument '--check <SPEC>' cannot be used with '[CMD]...'
    hint: for the options and their values see `forkhestra bisect --help`
    [exit status: 2]
    ");
}

#[test]
fn the_ends_must_be_in_order_and_differ() {
    let env = broken_in_fourth();
    assert_snapshot!(normalised(&env, &["bisect", "--good", "5", "--bad", "2", "--", "true"]), @"
    ------- stderr -------
    error: `--good 5` is after `--bad 2`
    hint: the good iteration comes first
    hint: to find the iteration that fixed something, invert the command: `-- sh -c 'CMD; c=$?; [ $c -lt 125 ] || exit $c; [ $c -ne 0 ]'`
    [exit status: 2]
    ");
    assert_snapshot!(normalised(&env, &["bisect", "--good", "5", "--bad", "@5", "--", "true"]), @"
    ------- stderr -------
    error: there is only one snapshot, @5 (iteration 5): nothing changed in between
    hint: name two iterations between which files changed, with `--good` and `--bad`
    [exit status: 2]
    ");
    assert_snapshot!(normalised(&env, &["bisect", "--bad", "9", "--", "true"]), @"
    ------- stderr -------
    error: run [id]: no iteration 9 has a snapshot
    hint: `forkhestra rewind [id] --list` lists the snapshots of the run
    [exit status: 2]
    ");
    assert_snapshot!(normalised(&env, &["bisect", "--bad", "x", "--", "true"]), @"
    ------- stderr -------
    error: invalid value 'x' for '--bad <N>': is no snapshot: name an iteration (`7`, or `2.7` in step 2), or a snapshot number (`@12`)
    hint: for the options and their values see `forkhestra bisect --help`
    [exit status: 2]
    ");
}

#[test]
fn a_run_without_snapshots_cannot_be_searched() {
    let env = with_agents();
    past(&env, &["done"]);
    assert_snapshot!(normalised(&env, &["bisect", "--", "true"]), @"
    ------- stderr -------
    error: run [id] has no snapshots: its work tree was in no git repository with snapshots, or it ended before the first one
    hint: snapshots need a git repository and a run without `--no-snapshots`
    [exit status: 2]
    ");
    let env = repository();
    env.agent("a", "echo x");
    past(&env, &["a:2"]);
    assert_snapshot!(normalised(&env, &["bisect", "--", "true"]), @"
    ------- stderr -------
    error: there is only one snapshot, @0 (before the run): nothing changed in between
    hint: name two iterations between which files changed, with `--good` and `--bad`
    [exit status: 2]
    ");
}

#[test]
fn the_checks_of_a_run_that_began_elsewhere_are_executed_only_by_its_name() {
    let env = checked_run();
    let (project, copy) = (env.project(), env.root().join("copy"));
    // Other inodes, as after a clone.
    let paths = [&project, &copy].map(|path| path.to_str().expect("it is text"));
    assert_eq!(env.run("/bin/cp", &["-r", paths[0], paths[1]]).code, Some(0));
    fs::remove_dir_all(&project).expect("it is ours");
    fs::rename(&copy, &project).expect("it is ours");
    assert_snapshot!(normalised(&env, &["bisect"]), @"
    ------- stderr -------
    error: there is no test for the snapshots: run [id] was not begun in this work tree, and its checks are not executed
    hint: to execute them anyway, name the run: `forkhestra bisect [id]`
    hint: name a command: `forkhestra bisect [id] -- cargo test`
    hint: or a check: `forkhestra bisect [id] --check 'command:cargo test'`
    [exit status: 2]
    ");
    let run = only_run(&env);
    let output = normalised(&env, &["bisect", id(&run)]);
    assert_eq!(output.code, Some(0), "{output}");
}
