//! `forkhestra watch` where nothing can be watched. The `processes` tests cover its display.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::forkhestra;
use crate::support::past_runs::{past, with_agents};

#[test]
fn without_a_terminal_nothing_is_watched() {
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
fn a_run_that_is_not_there_cannot_be_watched() {
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
fn one_run_is_watched_or_all_are_listed() {
    let env = TestEnv::new();
    assert_snapshot!(forkhestra(&env, &["watch", "abc", "--all"]), @"
    ------- stderr -------
    error: the argument '[RUN]' cannot be used with '--all'
    hint: for the options and their values see `forkhestra watch --help`
    [exit status: 2]
    ");
}
