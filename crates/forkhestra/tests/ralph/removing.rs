//! Removing runs and their snapshots in git.

use testkit::TestEnv;

use crate::{looped, repository};

const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");

/// A repository with a run that has snapshots.
fn with_snapshots() -> TestEnv {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION >> work");
    assert_eq!(looped(&env, "a", 2, &[]).code, Some(1));
    assert_ne!(snapshot_refs(&env), "", "nothing was kept");
    env
}

/// The refs of all snapshots.
fn snapshot_refs(env: &TestEnv) -> String {
    env.run("/bin/sh", &["-c", "git for-each-ref refs/forkhestra"]).success()
}

#[test]
fn removing_a_run_removes_its_snapshots() {
    for command in [&["runs", "rm", "-f"][..], &["runs", "prune", "--keep", "0", "-f"]] {
        let env = with_snapshots();
        let list = env.run(FORKHESTRA, &["runs", "--json"]).success();
        let runs: serde_json::Value = serde_json::from_str(&list).expect("it is JSON");
        let id = runs[0]["id"].as_str().expect("a run has an id");
        let named = if command.contains(&"rm") { vec![id] } else { Vec::new() };
        env.run(FORKHESTRA, &[command, &named].concat()).success();
        assert_eq!(snapshot_refs(&env), "", "{command:?}");
    }
}

#[test]
fn a_run_is_removed_even_if_its_snapshots_cannot_be() {
    let env = with_snapshots();
    // Another process has the refs locked for ever.
    env.write(".git/packed-refs.lock", "");
    let output = env.run(FORKHESTRA, &["runs", "prune", "--keep", "0", "-f"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.starts_with("warning: the snapshots of run "), "{output}");
    assert_ne!(snapshot_refs(&env), "");
    let left = env.run(FORKHESTRA, &["runs"]);
    assert_eq!(left.stderr, "There are no runs here.\n", "{left}");
}

#[test]
fn snapshots_can_be_turned_off() {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION >> work");
    assert_eq!(looped(&env, "a", 2, &["--no-snapshots"]).code, Some(1));
    assert_eq!(snapshot_refs(&env), "");
}
