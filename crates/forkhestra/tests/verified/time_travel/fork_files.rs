//! What the work tree of a fork has, and what it lacks.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use testkit::{TestEnv, report_skipped};

use super::fork::{AGENT, finished, git_in, read, run_at, work_tree};
use super::fork_start::before_git;
use crate::support::{forkhestra, git, repository};

const MIB: u64 = 1024 * 1024;

#[track_caller]
fn forked(env: &TestEnv, args: &[&str]) -> String {
    let output = forkhestra(env, &[&["fork", &run_at(env, 0)], args].concat());
    assert_eq!(output.code, Some(0), "{args:?}: {output}");
    output.stderr
}

/// An empty file of this size takes no space.
fn write_large(env: &TestEnv, name: &str, bytes: u64) {
    let file = fs::File::create(env.project().join(name)).expect("it is ours");
    file.set_len(bytes).expect("there is room");
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

#[test]
fn filters_of_the_repository_itself_are_reported() {
    let env = repository();
    env.agent("a", AGENT).link_system_program("tr");
    git(&env, "config filter.crypt.clean 'tr a-z n-za-m'");
    git(&env, "config filter.crypt.smudge 'tr a-z n-za-m'");
    env.write(".gitattributes", "*.sec filter=crypt\n").write("a.sec", "hello\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message secret");
    assert_eq!(forkhestra(&env, &["a:9"]).code, Some(0));
    let message = forked(&env, &["--at", "3"]);
    let expected = "commits in the fork do not pass the filter `crypt`";
    assert!(message.contains("a.sec") && message.contains(expected), "{message}");
}

#[test]
fn a_file_that_is_ignored_now_may_be_in_the_snapshot() {
    let env = repository();
    let script = "case $FORKHESTRA_ITERATION in
        1) echo x > gen.txt; mkdir gen; echo x > gen/in; mkdir other; echo x > other/in;;
        2) printf 'gen.txt\\ngen/\\nother/\\n' >> .gitignore; echo x > gen/later; rm other/in; echo x > other/later;;
        3) echo FORKHESTRA_COMPLETE;; esac";
    env.agent("a", script);
    assert_eq!(forkhestra(&env, &["a:9"]).code, Some(0));
    let message = forked(&env, &["--at", "1", "--max-iterations", "3"]);
    let expected = "warning: the fork lacks files that git ignores: gen/later and other/later\n";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn large_files_and_other_repositories_are_named() {
    let env = repository();
    write_large(&env, "big.bin", 51 * MIB);
    git(&env, "add --all");
    git(&env, "commit --quiet --message big");
    git(&env, "init --quiet inner");
    env.write("inner/file", "x");
    for name in ["a.dat", "b.dat", "c.dat"] {
        write_large(&env, name, 40 * MIB);
    }
    write_large(&env, "big.bin", 52 * MIB);
    env.agent("a", "echo FORKHESTRA_COMPLETE");
    assert_eq!(forkhestra(&env, &["a:9"]).code, Some(0));
    let message = forked(&env, &["--at", "0"]);
    for expected in [
        "the fork has an older content of files that are too large for snapshots: big.bin\n",
        "the fork lacks files that snapshots leave out, as secrets or as too large: c.dat\n",
        "the fork lacks other repositories in the work tree: inner/\n",
    ] {
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn names_that_are_not_utf_8_are_excluded_in_the_fork() {
    let env = finished();
    let content = b"caf\xe9\nours\n";
    env.write(".git/info/exclude", content);
    forked(&env, &["--at", "3"]);
    let tree = work_tree(&env, &run_at(&env, 0));
    assert_eq!(fs::read(tree.join(".git/info/exclude")).expect("it is there"), content);
}

#[test]
fn a_partial_clone_is_refused_before_it_is_shown() {
    let env = finished();
    git(&env, "config remote.origin.promisor true");
    let output = forkhestra(&env, &["fork", &run_at(&env, 0), "--at", "3", "--dry-run"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("is a partial clone"), "{output}");
}

#[test]
fn variables_that_lead_git_elsewhere_are_refused() {
    let env = finished();
    let source = run_at(&env, 0);
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"] {
        let mut command = env.command(crate::FORKHESTRA);
        let place = match name {
            "GIT_DIR" | "GIT_COMMON_DIR" => ".git",
            "GIT_INDEX_FILE" => ".git/index",
            _ => ".git/objects",
        };
        command.env(name, env.project().join(place)).args(["fork", &source, "--at", "3"]);
        let output = env.output_of(&mut command);
        assert_eq!(output.code, Some(2), "{name}: {output}");
        assert!(output.stderr.contains(name), "{name}: {output}");
    }
}

#[test]
fn the_work_tree_of_a_removed_fork_is_named_wherever_it_is() {
    let env = finished();
    let source = run_at(&env, 0);
    let place = env.root().join("elsewhere");
    forked(&env, &["--at", "3", "--in", &place.display().to_string()]);
    let fork = run_at(&env, 0);
    let output = forkhestra(&env, &["runs", "rm", &fork]);
    let warning = format!("warning: the work tree of fork {fork} is kept: $TEST/elsewhere\n");
    assert!(output.code == Some(0) && output.stderr.contains(&warning), "{output}");
    // The work tree of a fork that works here is not that of the fork.
    let output = forkhestra(&env, &["fork", &source, "--at", "3", "--here"]);
    assert_eq!(output.code, Some(0), "{output}");
    let output = forkhestra(&env, &["runs", "rm", &run_at(&env, 0)]);
    assert!(output.code == Some(0) && !output.stderr.contains("is kept"), "{output}");
}
