//! Links, special files, and files of other users in the places of ours.

mod completion;
mod journal;
mod links;
mod special;
mod trust;

use std::fs;
use std::path::{Path, PathBuf};

use testkit::{CommandOutput, TestEnv, report_skipped};

use crate::support::forkhestra;

/// A user that is not the one of the tests.
const OTHER_USER: u32 = 65_534;

/// The default state directory.
fn state(env: &TestEnv) -> PathBuf {
    env.home().join(".local/state/forkhestra")
}

/// The state directory of the project's work tree.
#[track_caller]
fn tree(env: &TestEnv) -> PathBuf {
    let mut found = fs::read_dir(state(env)).expect("there was a run").flatten();
    found.next().expect("there was a run").path()
}

/// Gives a file to another user. Returns whether that is possible.
fn give_away(path: &Path) -> bool {
    if !rustix::process::geteuid().is_root() {
        report_skipped("only root can give a file to another user");
        return false;
    }
    std::os::unix::fs::lchown(path, Some(OTHER_USER), Some(OTHER_USER)).expect("we are root");
    true
}

/// A project whose agent notes that it worked, and fails until a file `enough` exists.
fn failing_project() -> TestEnv {
    let env = TestEnv::new();
    env.agent("worker", "echo worked >> worked; [ -e enough ]");
    env
}

/// How often the agent of [`failing_project`] worked.
fn worked(env: &TestEnv) -> usize {
    if env.has("worked") { env.read("worked").lines().count() } else { 0 }
}

/// Asserts that a command is refused with a message, and that no agent worked.
#[track_caller]
fn refused(env: &TestEnv, args: &[&str], message: &str) {
    let before = worked(env);
    let CommandOutput { stderr, code, .. } = forkhestra(env, args);
    assert_eq!(code, Some(2), "{args:?}: {stderr}");
    assert!(stderr.contains(message), "{args:?}: {stderr}");
    assert_eq!(worked(env), before, "{args:?}");
}
