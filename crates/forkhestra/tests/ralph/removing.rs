//! Removing runs and their snapshots in git.

use testkit::TestEnv;

use crate::{looped, repository};

const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");

/// A repository with a run that has snapshots.
fn with_snapshots() -> TestEnv {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION >> work");
    assert_eq!(looped(&env, "a", 2, &[]).code, Some(1));
    assert_ne!(kept(&env), "", "nothing was kept");
    env
}

/// The refs of all snapshots.
fn kept(env: &TestEnv) -> String {
    env.run("/bin/sh", &["-c", "git for-each-ref refs/forkhestra"]).success()
}

#[test]
fn a_run_that_is_removed_takes_its_snapshots_with_it() {
    for command in [&["runs", "rm", "-f"][..], &["runs", "prune", "--keep", "0", "-f"]] {
        let env = with_snapshots();
        let list = env.run(FORKHESTRA, &["runs", "--json"]).success();
        let runs: serde_json::Value = serde_json::from_str(&list).expect("it is JSON");
        let id = runs[0]["id"].as_str().expect("a run has an id");
        let named = if command.contains(&"rm") { vec![id] } else { Vec::new() };
        env.run(FORKHESTRA, &[command, &named].concat()).success();
        assert_eq!(kept(&env), "", "{command:?}");
    }
}

#[test]
fn a_run_is_removed_although_its_snapshots_cannot_be() {
    let env = with_snapshots();
    // Another process has the refs locked for ever.
    env.write(".git/packed-refs.lock", "");
    let said = env.run(FORKHESTRA, &["runs", "prune", "--keep", "0", "-f"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stderr.starts_with("warning: the snapshots of run "), "{said}");
    assert_ne!(kept(&env), "");
    let left = env.run(FORKHESTRA, &["runs"]);
    assert_eq!(left.stderr, "There are no runs here.\n", "{left}");
}

#[test]
fn a_run_keeps_nothing_in_git_if_nobody_wants_that() {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION >> work");
    assert_eq!(looped(&env, "a", 2, &["--no-snapshots"]).code, Some(1));
    assert_eq!(kept(&env), "");
}
