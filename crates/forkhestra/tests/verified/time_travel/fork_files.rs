//! What the work tree of a fork has, and what it lacks.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use testkit::{TestEnv, report_skipped};

use super::fork::{finished, git_in, read, run_at};
use super::fork_start::before_git;
use crate::support::{forkhestra, git, repository};

#[track_caller]
fn forked(env: &TestEnv, args: &[&str]) -> String {
    let output = forkhestra(env, &[&["fork", &run_at(env, 0)], args].concat());
    assert_eq!(output.code, Some(0), "{args:?}: {output}");
    output.stderr
}

/// The packs of the project.
fn packs(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(env.project().join(".git/objects/pack")).expect("it is there");
    let names = entries.map(|entry| entry.expect("it is ours").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn a_fork_may_be_on_another_file_system() {
    let env = finished();
    let other = tempfile::tempdir_in("/dev/shm");
    let device = |path: &Path| fs::metadata(path).expect("it is there").dev();
    let other = other.ok().filter(|other| device(other.path()) != device(&env.project()));
    let Some(other) = other else {
        return report_skipped("/dev/shm is on no other file system");
    };
    let before = packs(&env);
    let place = other.path().join("fork");
    forked(&env, &["--at", "3", "--in", &place.display().to_string()]);
    assert_eq!(read(&place, "n"), "4\n");
    assert_eq!(git_in(&env, &place, "fsck --full --strict"), "");
    assert_eq!(packs(&env), before, "git wrote into the repository of the first run");
}

/// Only a missing object is a reason to make a fork without branches.
#[test]
fn a_full_disk_is_an_error() {
    let env = finished();
    let full = "if [ -e $HOME/full ]; then rm $HOME/full; \
                echo 'fatal: write error: No space left on device' >&2; exit 128; fi";
    before_git(&env, "pack-objects", full);
    env.write_home("full", "");
    let output = forkhestra(&env, &["fork", &run_at(&env, 0), "--at", "3"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("No space left on device"), "{output}");
    assert!(!super::fork::forks_directory(&env).exists());
}
