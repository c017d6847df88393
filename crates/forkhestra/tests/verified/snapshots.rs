//! Snapshots of the work tree after every iteration.

use crate::FORKHESTRA;
use crate::support::{DONE, forkhestra, git, project, repository, run_id};

#[test]
fn destroyed_files_can_be_restored() {
    let env = repository();
    env.write("precious", "never committed\n");
    env.agent("a", "rm precious; echo made > made; echo FORKHESTRA_COMPLETE");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    assert!(!env.has("precious"));
    let run = run_id(&env);
    assert_eq!(git(&env, &format!("show refs/forkhestra/{run}/0:precious")), "never committed\n");
    assert_eq!(git(&env, &format!("show refs/forkhestra/{run}/1:made")), "made\n");
    git(&env, &format!("restore --source=refs/forkhestra/{run}/0 -- precious"));
    assert_eq!(env.read("precious"), "never committed\n");
}

#[test]
fn snapshots_are_on_no_branch_and_are_not_pushed() {
    let env = repository();
    env.agent("a", "echo made > made; echo FORKHESTRA_COMPLETE");
    git(&env, "init --quiet --bare ../remote.git");
    git(&env, "remote add origin ../remote.git");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    git(&env, "push --quiet origin HEAD:main");
    assert_eq!(git(&env, "ls-remote origin").matches("forkhestra").count(), 0);
    assert_eq!(git(&env, "branch").trim(), "* main");
    assert_eq!(git(&env, "status --porcelain"), "?? made\n");
}

#[test]
fn snapshots_are_removed_with_the_run() {
    let env = repository();
    env.agent("a", "echo made > made; echo FORKHESTRA_COMPLETE");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    assert_ne!(git(&env, "for-each-ref refs/forkhestra"), "");
    let output = env.run(FORKHESTRA, &["runs", "rm", &run_id(&env)]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(git(&env, "for-each-ref refs/forkhestra"), "");
}

#[test]
fn snapshots_can_be_turned_off() {
    let env = repository();
    env.agent("a", &format!("touch made; {DONE}"));
    assert_eq!(forkhestra(&env, &["a:3", "--no-snapshots"]).code, Some(0));
    assert_eq!(git(&env, "for-each-ref refs/forkhestra"), "");
}

#[test]
fn a_repository_without_a_commit_gets_snapshots() {
    let env = project();
    git(&env, "init --quiet");
    env.write("precious", "x\n").agent("a", "rm precious; echo FORKHESTRA_COMPLETE");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    let run = run_id(&env);
    assert_eq!(git(&env, &format!("show refs/forkhestra/{run}/0:precious")), "x\n");
}
