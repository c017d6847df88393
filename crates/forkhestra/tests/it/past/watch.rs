//! `forkhestra watch` where nothing can be watched. The `processes` tests cover its display.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::forkhestra;
use crate::support::past_runs::{past, with_agents};

#[test]
fn watch_needs_a_terminal() {
    let env = with_agents();
    past(&env, &["done"]);
    let refused = forkhestra(&env, &["watch"]);
    assert_snapshot!(refused, @"
    ------- stderr -------
    error: `forkhestra watch` needs a terminal, for its input and its output
    hint: `forkhestra show` prints what happened in a run
    hint: `forkhestra events -f` prints what happens as it happens
    [exit status: 2]
    ");
    assert_eq!(forkhestra(&env, &["watch", "--all"]).to_string(), refused.to_string());
}

#[test]
fn a_missing_run_cannot_be_watched() {
    let env = TestEnv::new();
    assert_snapshot!(forkhestra(&env, &["watch", "nothere1"]), @"
    ------- stderr -------
    error: there is no run `nothere1`
    [exit status: 2]
    ");
    assert_snapshot!(forkhestra(&env, &["watch", "./nowhere/journal.jsonl"]), @"
    ------- stderr -------
    error: cannot find $TEST/project/./nowhere/journal.jsonl: No such file or directory (os error 2)
    [exit status: 2]
    ");
}

#[test]
fn a_run_and_the_list_of_all_conflict() {
    let env = TestEnv::new();
    assert_snapshot!(forkhestra(&env, &["watch", "abc", "--all"]), @"
    ------- stderr -------
    error: the argument '[RUN]' cannot be used with '--all'
    hint: for the options and their values see `forkhestra watch --help`
    [exit status: 2]
    ");
}
