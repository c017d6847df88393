//! Tests of protected files in real directories.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use forkhestra_core::config::OnProtectedChange;

use super::*;
use crate::process::ChildProcesses;
use crate::test_project::TestProject;

struct ProtectedCase {
    project: TestProject,
    protected: ProtectedFiles,
    protection: Protection,
    own_paths: OwnPaths,
    git: GitProgram,
}

impl ProtectedCase {
    fn new(patterns: &[&str]) -> Self {
        let project = TestProject::new();
        project.write("tests/a.rs", "a").write("tests/deep/b.rs", "b").write("src/c.rs", "c");
        let places = project.tree.places().clone();
        let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let protection = Protection { patterns, on_change: OnProtectedChange::Refuse };
        let protected = ProtectedFiles::new(&places.directory, &places.persistent_directory);
        let git = GitProgram::new(&[], Arc::new(ChildProcesses::default()));
        Self { project, protected, protection, own_paths: places.own_paths, git }
    }

    fn begin(&mut self) -> ProtectedVerdict {
        self.begin_with(&[])
    }

    fn begin_with(&mut self, unrestored: &[UnrestoredFiles]) -> ProtectedVerdict {
        self.protected.begin(1, &self.protection, &self.own_paths, &self.git, unrestored)
    }

    fn changed(&mut self) -> Vec<String> {
        let verified = self.protected.verify(1, &self.protection, &self.own_paths, None);
        assert_eq!(verified.notice, None);
        verified.changed.listed
    }

    /// Simulates a killed run that continues in another process.
    fn die(&mut self) {
        let places = self.project.tree.places();
        self.protected = ProtectedFiles::new(&places.directory, &places.persistent_directory);
    }
}

#[test]
fn changed_new_and_removed_files_are_found() {
    let mut guarded = ProtectedCase::new(&["tests/**"]);
    let begun = guarded.begin();
    assert_eq!((begun.changed, begun.notice), (PathList::default(), None));
    guarded.project.write("src/c.rs", "changed");
    assert_eq!(guarded.changed(), [""; 0]);
    guarded.project.write("tests/a.rs", "changed").write("tests/new.rs", "new");
    guarded.project.remove("tests/deep/b.rs");
    assert_eq!(guarded.changed(), ["tests/a.rs", "tests/deep/b.rs", "tests/new.rs"]);
    guarded.project.write("tests/a.rs", "a").write("tests/deep/b.rs", "b").remove("tests/new.rs");
    assert_eq!(guarded.changed(), [""; 0], "what was taken back is no change");
}

/// What a round was refused for is no baseline of the next one. Other files are as they are now.
#[test]
fn files_that_were_not_restored_have_their_state_before_the_change() {
    let mut guarded = ProtectedCase::new(&["tests/**"]);
    let digest = guarded.begin().digest;
    guarded.project.write("tests/a.rs", "cheated").write("tests/new.rs", "new");
    let paths = PathList::of(guarded.changed());
    guarded.project.write("tests/deep/b.rs", "changed by another step");
    let unrestored = |digest| UnrestoredFiles {
        step: 1,
        digest,
        snapshot: None,
        paths: paths.clone(),
        may_be_more: false,
    };
    guarded.die();
    guarded.begin_with(&[unrestored(digest.clone())]);
    assert_eq!(guarded.changed(), ["tests/a.rs", "tests/new.rs"]);
    guarded.project.write("tests/a.rs", "a").remove("tests/new.rs");
    assert_eq!(guarded.changed(), [""; 0], "they are restored");
    guarded.project.write("tests/a.rs", "cheated");
    guarded.die();
    guarded.begin_with(&[unrestored(Some("another".to_owned()))]);
    assert_eq!(guarded.changed(), ["tests/a.rs", "tests/new.rs"], "the baseline is lost");
}

/// An agent that may change them has done so since.
#[test]
fn files_that_changed_again_since_they_were_refused_are_a_new_baseline() {
    let mut guarded = ProtectedCase::new(&["tests/**"]);
    let digest = guarded.begin().digest;
    guarded.project.write("tests/a.rs", "cheated").write("tests/deep/b.rs", "cheated");
    let paths = PathList::of(guarded.changed());
    guarded.project.write("tests/a.rs", "written anew");
    guarded.begin_with(&[UnrestoredFiles {
        step: 1,
        digest,
        snapshot: None,
        paths,
        may_be_more: false,
    }]);
    assert_eq!(guarded.changed(), ["tests/deep/b.rs"]);
}

/// The run was cut off before the work of an agent was observed.
#[test]
fn all_files_are_compared_if_the_work_of_an_agent_was_not_observed() {
    for digest in [None, Some("another".to_owned())] {
        let mut guarded = ProtectedCase::new(&["tests/**"]);
        let written = guarded.begin().digest;
        guarded.project.write("tests/a.rs", "cheated").write("tests/new.rs", "new");
        guarded.die();
        let paths = PathList::default();
        let is_lost = digest.is_some();
        let digest = digest.or(written);
        let unseen = UnrestoredFiles { step: 1, digest, snapshot: None, paths, may_be_more: true };
        guarded.begin_with(&[unseen]);
        let all = ["tests/a.rs", "tests/deep/b.rs", "tests/new.rs"];
        let changed = ["tests/a.rs", "tests/new.rs"];
        assert_eq!(guarded.changed(), if is_lost { &all[..] } else { &changed[..] });
    }
}

#[test]
fn the_baseline_is_known_after_a_resume() {
    let mut guarded = ProtectedCase::new(&["tests"]);
    guarded.begin();
    guarded.project.write("tests/a.rs", "changed");
    guarded.die();
    assert_eq!(guarded.changed(), ["tests/a.rs"]);
}

#[test]
fn a_forged_baseline_counts_as_lost() {
    let mut guarded = ProtectedCase::new(&["tests"]);
    let digest = guarded.begin().digest.expect("it was written");
    guarded.project.write("tests/a.rs", "changed");
    // The agent writes the baseline that a step with its change would have.
    let mut forger = ProtectedCase::new(&["tests"]);
    forger.project.write("tests/a.rs", "changed");
    forger.begin();
    fs::copy(forger.protected.path(1), guarded.protected.path(1)).expect("both are ours");
    guarded.die();
    let ProtectedCase { protected, protection, own_paths, .. } = &mut guarded;
    let verified = protected.verify(1, protection, own_paths, Some(&digest));
    assert_eq!(verified.changed.listed, ["tests/a.rs", "tests/deep/b.rs"]);
    assert!(verified.notice.is_some_and(|notice| notice.contains("another process changed it")));
}

#[test]
fn a_lost_baseline_counts_as_changed_files() {
    let mut guarded = ProtectedCase::new(&["tests/*.rs"]);
    let verified = guarded.protected.verify(1, &guarded.protection, &guarded.own_paths, None);
    assert!(verified.changed.listed.contains(&"tests/a.rs".to_owned()));
    let is_theirs = |name: &String| name.starts_with("tests/");
    assert!(verified.changed.listed.iter().all(is_theirs), "an agent can put these back");
    let message = "the state of protected files when step 1 began is lost";
    assert!(verified.notice.is_some_and(|notice| notice.starts_with(message)));
}

#[test]
fn a_lost_baseline_counts_even_without_matching_files() {
    let mut guarded = ProtectedCase::new(&["nothing/**"]);
    let verified = guarded.protected.verify(1, &guarded.protection, &guarded.own_paths, None);
    assert!(!verified.changed.is_empty());
}

#[test]
fn the_target_of_a_protected_link_is_protected() {
    let mut guarded = ProtectedCase::new(&["tests/**"]);
    guarded.project.write("data/golden.txt", "as it should be");
    let link = guarded.project.work.join("tests/golden.txt");
    symlink("../data/golden.txt", link).expect("it is ours");
    symlink("../nowhere", guarded.project.work.join("tests/broken")).expect("it is ours");
    guarded.begin();
    assert_eq!(guarded.changed(), Vec::<String>::new());
    guarded.project.write("data/golden.txt", "as it is now");
    assert_eq!(guarded.changed(), ["tests/golden.txt"]);
}

#[test]
fn a_link_in_the_place_of_a_directory_is_a_change() {
    let mut guarded = ProtectedCase::new(&["tests/**"]);
    guarded.begin();
    let work = &guarded.project.work;
    fs::rename(work.join("tests"), work.join("moved")).expect("it is ours");
    symlink("moved", work.join("tests")).expect("it is ours");
    assert_eq!(guarded.changed(), ["tests", "tests/a.rs", "tests/deep/b.rs"]);
}

#[test]
fn a_file_that_becomes_a_program_or_a_link_is_changed() {
    let mut guarded = ProtectedCase::new(&["**/*.rs"]);
    guarded.begin();
    let work = guarded.project.work.clone();
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(work.join("tests/a.rs"), mode).expect("it is ours");
    guarded.project.remove("src/c.rs");
    symlink("../tests/a.rs", work.join("src/c.rs")).expect("it is ours");
    assert_eq!(guarded.changed(), ["src/c.rs", "tests/a.rs"]);
}

#[test]
fn changes_with_the_same_size_and_time_are_detected() {
    let mut guarded = ProtectedCase::new(&["tests/**"]);
    let path = guarded.project.work.join("tests/a.rs");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let dated = |path: &Path| {
        let file = fs::File::options().write(true).open(path).expect("it is ours");
        file.set_modified(long_ago).expect("it is ours");
    };
    dated(&path);
    guarded.begin();
    guarded.project.write("tests/a.rs", "z");
    dated(&path);
    assert_eq!(guarded.changed(), ["tests/a.rs"]);
}

#[test]
fn our_own_files_and_git_files_are_not_protected() {
    let mut guarded = ProtectedCase::new(&["**"]);
    guarded.begin();
    guarded.project.write(".git/x", "x").write(".agent-state/x", "x").write("state of runs/x", "x");
    assert_eq!(guarded.changed(), [""; 0]);
}

#[test]
fn an_invalid_pattern_protects_everything() {
    let mut guarded = ProtectedCase::new(&["tests/["]);
    let message = "protected files cannot be compared, so that all count as changed: `tests/[` cannot \
                be protected: unclosed character class; missing ']'";
    let verified = guarded.begin();
    assert_eq!(verified.notice.as_deref(), Some(message));
    assert_eq!(verified.changed.listed, ["tests/["]);
}

/// A run of an older version is resumed. Its hash was FNV-1a.
#[test]
fn the_baseline_of_an_older_version_is_compared_by_its_hash() {
    let mut guarded = ProtectedCase::new(&["tests/**"]);
    let state =
        |text: &str| format!("file {} {}", text.len(), crate::fnv_hasher::hash(text.as_bytes()));
    let files = [("tests/a.rs", "a"), ("tests/deep/b.rs", "b")];
    let before = files.map(|(name, text)| (name.to_owned(), state(text))).into();
    baseline::write(&guarded.protected.path(1), &before).expect("it is ours");
    assert_eq!(guarded.changed(), [""; 0]);
    guarded.project.write("tests/a.rs", "changed").write("tests/new.rs", "new");
    assert_eq!(guarded.changed(), ["tests/a.rs", "tests/new.rs"]);
}
