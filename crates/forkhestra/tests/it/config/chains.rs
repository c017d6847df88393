//! `--chain`: names of the config, and the errors for wrong ones.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{forkhestra, project, refused};

const CHAINS: &str = r#"{
  "chains": {
    "plan-and-build": { "steps": [{ "agent": "a" }] },
    "single-task": { "steps": [{ "agent": "a" }] }
  }
}"#;

#[test]
fn without_a_name_the_chains_are_listed() {
    assert_snapshot!(refused(&project(CHAINS), &["--chain"]), @"
    error: `--chain` needs the name of a chain
    hint: available chains: plan-and-build, single-task
    hint: built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, quick-pipeline
    ");
}

#[test]
fn a_following_option_is_not_taken_for_a_name() {
    let env = project(CHAINS);
    let expected = refused(&env, &["--chain"]);
    assert_eq!(forkhestra(&env, &["--chain", "--dry-run"]).failure(2), expected);
    assert_eq!(forkhestra(&env, &["--chain", "", "--dry-run"]).failure(2), expected);
}

#[test]
fn an_unknown_name_gets_a_suggestion() {
    assert_snapshot!(refused(&project(CHAINS), &["--chain", "plan-and-biuld"]), @"
    error: there is no chain called 'plan-and-biuld'
    hint: did you mean `plan-and-build`?
    hint: available chains: plan-and-build, single-task
    hint: built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, quick-pipeline
    ");
}

#[test]
fn an_unknown_name_without_a_similar_one_gets_the_list() {
    assert_snapshot!(refused(&project(CHAINS), &["--chain", "zebra"]), @"
    error: there is no chain called 'zebra'
    hint: available chains: plan-and-build, single-task
    hint: built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, quick-pipeline
    ");
}

#[test]
fn without_a_config_the_searched_paths_are_named() {
    assert_snapshot!(refused(&TestEnv::new(), &["--chain", "deploy"]), @"
    error: there is no chain called 'deploy'
    hint: there is no config file; looked for `forge/orch/chains.json`, `forge/chains.json` and `$TEST/home/.config/forkhestra/chains.json`
    hint: write chains into one of these, or name another file with `--config PATH`
    hint: built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, plan-and-build, quick-pipeline, single-task
    ");
}

#[test]
fn without_a_config_and_without_a_name_the_searched_paths_are_named() {
    assert_snapshot!(refused(&TestEnv::new(), &["--chain"]), @"
    error: `--chain` needs the name of a chain
    hint: there is no config file; looked for `forge/orch/chains.json`, `forge/chains.json` and `$TEST/home/.config/forkhestra/chains.json`
    hint: write chains into one of these, or name another file with `--config PATH`
    hint: built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, plan-and-build, quick-pipeline, single-task
    ");
}

#[test]
fn paths_below_another_directory_are_shown_relative_to_the_user() {
    let env = TestEnv::new();
    env.write("sub/README.md", "");
    assert_snapshot!(refused(&env, &["--chain", "deploy", "--cwd", "sub"]), @"
    error: there is no chain called 'deploy'
    hint: there is no config file; looked for `sub/forge/orch/chains.json`, `sub/forge/chains.json` and `$TEST/home/.config/forkhestra/chains.json`
    hint: write chains into one of these, or name another file with `--config PATH`
    hint: built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, plan-and-build, quick-pipeline, single-task
    ");
}

#[test]
fn a_config_without_chains_is_named() {
    assert_snapshot!(refused(&project(r#"{ "chains": {} }"#), &["--chain", "deploy"]), @"
    error: there is no chain called 'deploy'
    hint: no chains are defined in `forge/orch/chains.json`
    hint: built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, plan-and-build, quick-pipeline, single-task
    ");
}

#[test]
fn a_typed_chain_and_a_chain_name_conflict() {
    assert_snapshot!(refused(&project(CHAINS), &["a:3 -> b", "--chain", "single-task"]), @"
    error: both a chain `a:3 -> b` and `--chain single-task` are given
    hint: give one of the two; arguments for the agents go after `--`
    ");
    assert_snapshot!(refused(&project(CHAINS), &["--chain", "single-task", "a"]), @"
    error: both a chain `a` and `--chain single-task` are given
    hint: give one of the two; arguments for the agents go after `--`
    ");
}

#[test]
fn two_chain_names_are_refused() {
    let message =
        refused(&project(CHAINS), &["--chain", "single-task", "--chain", "plan-and-build"]);
    assert!(message.contains("cannot be used multiple times"), "{message}");
}

#[test]
fn a_chain_without_steps_is_refused_only_if_it_is_run() {
    let config =
        r#"{ "chains": { "nothing": { "steps": [] }, "one": { "steps": [{ "agent": "a" }] } } }"#;
    let env = project(config);
    env.install("a");
    let typed = ["--chain", "nothing"];
    assert_snapshot!(refused(&env, &typed), @r#"
    error: the chain 'nothing' has no steps
     --> forge/orch/chains.json:1:37
      |
    1 | { "chains": { "nothing": { "steps": [] }, "one": { "steps": [{ "agent": "a" }] } } }
      |                                     ^^ nothing to run
    hint: add a step: { "agent": "builder", "iterations": 10 }
    "#);
    assert_eq!(forkhestra(&env, &typed).failure(2), refused(&env, &typed), "not only a dry run");
    forkhestra(&env, &["--chain", "one", "--dry-run"]).success();
    let listed = forkhestra(&env, &["list"]).success();
    assert!(listed.contains("the chain 'nothing' has no steps"), "{listed}");
    let output = forkhestra(&env, &["doctor"]);
    assert!(output.stdout.contains("`nothing` cannot run: the chain 'nothing' has no"), "{output}");
}

#[test]
fn without_a_name_the_names_are_listed_whatever_else_is_typed() {
    let env = project(r#"{ "chains": { "build": { "steps": [] } } }"#);
    assert_eq!(refused(&env, &["a", "--chain"]), refused(&env, &["--chain"]));
    assert_eq!(refused(&env, &["a", "--chain="]), refused(&env, &["--chain"]));
}

#[test]
fn a_typed_chain_needs_no_option() {
    let env = project(r#"{ "chains": { "build": { "steps": [] } } }"#);
    assert_snapshot!(refused(&env, &["--chain", "a -> b:3"]), @"
    error: there is no chain called 'a -> b:3'
    hint: leave `--chain` out to run a chain that is typed
    hint: available chains: build
    hint: built-in chains: build-all, reviewed-build, plan-first, plan, ralph, review, plan-and-build, quick-pipeline, single-task
    ");
}

#[test]
fn a_chain_name_without_the_option_gets_a_hint() {
    let env = project(r#"{ "chains": { "build": { "steps": [] } } }"#);
    assert_snapshot!(forkhestra(&env, &["build", "--dry-run"]), @"
    [forkhestra] Dry run - would execute the following chain:

      1. build - run once
           warning: `build` is not installed (not found on PATH)

    [forkhestra] Dry run complete. No agents were executed.
    ------- stderr -------
    warning: no agent is called `build`, but a chain is
    hint: to run the chain: forkhestra --chain build
    ");
}

#[test]
fn loop_options_without_a_loop_are_a_warning() {
    let env = project(
        r#"{ "chains": { "c": { "markers": ["X"], "completion": "checks", "steps": [{ "agent": "a" }] } } }"#,
    );
    env.install("a");
    assert_snapshot!(forkhestra(&env, &["--chain", "c", "--dry-run", "--quiet"]), @r#"
      1. a - run once
           agent: program $TEST/bin/a (PATH)
    ------- stderr -------
    warning: `completion` has no effect: no step of the chain loops
     --> forge/orch/chains.json:1:54
      |
    1 | { "chains": { "c": { "markers": ["X"], "completion": "checks", "steps": [{ "agent": "a" }] } } }
      |                                                      ^^^^^^^^ only a step that loops looks at this
    hint: add `iterations` to a step to make it loop
    warning: `markers` has no effect: no step of the chain loops
     --> forge/orch/chains.json:1:33
      |
    1 | { "chains": { "c": { "markers": ["X"], "completion": "checks", "steps": [{ "agent": "a" }] } } }
      |                                 ^^^^^ only a step that loops looks at this
    hint: add `iterations` to a step to make it loop
    "#);
}
