//! Tests of rewinds with real repositories.

mod random_edits;
mod untouched_files;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use forkhestra_core::event::WorkTreeSnapshot;
use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;
use proptest::prelude::*;

use crate::now;
use crate::repository::{
    ExpectedState, FileEffect, HeadRelation, RewindError, RewindLabel, RewindLocation,
    RewindProgress, RewindRecord, RewindScope, RewindSurvey, RewindTarget, SnapshotLocation,
    WorkTreeRewinder, pending_rewind,
};
use crate::secret_finder::SecretFinder;
use crate::test_project::{RUN, TestProject, inherited, keep};

/// A state of a work tree: files with permissions and content, staged entries, commit and branch.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WholeState {
    files: BTreeMap<PathBuf, (u32, String)>,
    index: String,
    head: String,
}

struct RewindProject {
    project: TestProject,
    snapshots: Vec<RewindTarget>,
}

impl RewindProject {
    fn new() -> Self {
        Self { project: TestProject::kept_repository(), snapshots: Vec::new() }
    }

    /// Keeps the current work tree as the next snapshot.
    fn snapshot(&mut self) -> usize {
        let number = u32::try_from(self.snapshots.len()).expect("there are few");
        let seen = self.project.observe(&keep(number));
        let snapshot: WorkTreeSnapshot = seen.snapshot.expect("it is kept");
        let tree = self.project.git(&["rev-parse", &format!("{}^{{tree}}", snapshot.commit)]);
        let signals = seen.signals.expect("it is a repository");
        let (head, branch) = (signals.head, signals.branch);
        self.snapshots.push(RewindTarget { tree: tree.trim().to_owned(), head, branch });
        self.snapshots.len() - 1
    }

    fn rewinder(&self) -> WorkTreeRewinder {
        self.rewinder_in(&inherited())
    }

    /// A rewinder that finds git on another path.
    fn rewinder_with_path(&self, path: &str) -> WorkTreeRewinder {
        let mut environment = inherited();
        environment.retain(|(name, _)| name != "PATH");
        environment.push(("PATH".into(), path.into()));
        self.rewinder_in(&environment)
    }

    fn rewinder_in(&self, environment: &[(OsString, OsString)]) -> WorkTreeRewinder {
        let run = RunId::parse(RUN).expect("it is an id");
        let (kept, scratch) = (self.project.beside("run/kept"), self.project.beside("scratch-2"));
        let snapshots = SnapshotLocation {
            run: &run,
            directory: &self.project.work,
            persistent_directory: &kept,
            environment,
        };
        let own = self.project.work.join("state of runs");
        let location = RewindLocation {
            snapshots,
            own_paths: &[&own],
            scratch: &scratch,
            secrets: SecretFinder::default(),
        };
        WorkTreeRewinder::open(&location).expect("it is a repository")
    }

    fn expected(&self) -> ExpectedState {
        let last = self.snapshots.last().expect("there is one").clone();
        ExpectedState { tree: last.tree, head: last.head, branch: last.branch }
    }

    /// The state that the last snapshot, rewind or undo left.
    fn left(&self, rewinder: &mut WorkTreeRewinder) -> ExpectedState {
        let left = rewinder.left_since(Timestamp::default()).expect("records can be read");
        left.unwrap_or_else(|| self.expected())
    }

    fn survey(&self, rewinder: &mut WorkTreeRewinder, to: usize) -> RewindSurvey {
        self.survey_of(rewinder, to, RewindScope::Everything)
    }

    fn survey_of(
        &self,
        rewinder: &mut WorkTreeRewinder,
        to: usize,
        scope: RewindScope,
    ) -> RewindSurvey {
        let target = self.snapshots[to].clone();
        rewinder.survey(target, &self.expected(), scope).expect("git answers")
    }

    fn rewind(&self, to: usize) -> RewindRecord {
        let mut rewinder = self.rewinder();
        let survey = self.survey(&mut rewinder, to);
        assert!(survey.obstacles.is_empty(), "{survey:?}");
        rewinder.rewind(&survey, label(to)).expect("nothing is in the way")
    }

    fn undo(&self) {
        let mut rewinder = self.rewinder();
        let record = rewinder.records().last_in_effect().expect("it can be read");
        let survey = rewinder.survey_undo(record.expect("there is one")).expect("git answers");
        assert_eq!((&survey.changed_since, survey.is_staged), (&Vec::new(), false));
        assert_eq!(survey.head_relation, HeadRelation::Same);
        assert!(survey.obstacles.is_empty(), "{survey:?}");
        assert_eq!(rewinder.undo(survey, now().wall).expect("it can be undone"), None);
    }

    fn state(&self) -> WholeState {
        let mut files = BTreeMap::new();
        add_files(&self.project.work, &self.project.work, &mut files);
        let index = self.project.git(&["ls-files", "--stage", "-v"]);
        let branch = self.project.git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
        WholeState { files, index, head: branch + &self.project.head() }
    }

    /// The tree that a snapshot of the current work tree would have.
    fn tree(&self) -> String {
        self.rewinder().current_tree().expect("git answers")
    }

    /// The object of a file in a snapshot.
    fn entry(&self, snapshot: usize, name: &str) -> String {
        self.project.git(&["rev-parse", &format!("{}:{name}", self.snapshots[snapshot].tree)])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project.work.join(name)
    }

    /// Whether a file has the bytes that git writes for it from a tree. With attributes that changed
    /// since, git may store the same bytes as another object than before.
    fn is_as_checked_out(&self, tree: &str, path: &Path) -> bool {
        let object = [tree.as_bytes(), b":", path.as_os_str().as_bytes()].concat();
        let mut git = Command::new("git");
        git.args(["cat-file", "--filters"]).arg(OsStr::from_bytes(&object));
        let output = git.current_dir(&self.project.work).output().expect("git runs");
        let written = fs::read(self.project.work.join(path));
        output.status.success() && written.is_ok_and(|written| written == output.stdout)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| format!("{error}"))
    }
}

fn label(to: usize) -> RewindLabel {
    let snapshot = u32::try_from(to).expect("it is small");
    RewindLabel { address: to.to_string(), snapshot, at: now().wall }
}

fn add_files(top: &Path, directory: &Path, files: &mut BTreeMap<PathBuf, (u32, String)>) {
    for entry in fs::read_dir(directory).expect("it is ours") {
        let entry = entry.expect("it is ours");
        let (path, name) = (entry.path(), entry.file_name());
        if name == ".git" || name == "state of runs" {
            continue;
        }
        let metadata = fs::symlink_metadata(&path).expect("it is there");
        let content = if metadata.is_dir() {
            add_files(top, &path, files);
            continue;
        } else if metadata.is_symlink() {
            format!("-> {}", fs::read_link(&path).expect("it is a link").display())
        } else {
            String::from_utf8_lossy(&fs::read(&path).expect("it is ours")).into_owned()
        };
        let mode = if metadata.is_symlink() { 0 } else { metadata.permissions().mode() & 0o7777 };
        files.insert(path.strip_prefix(top).expect("it is below").to_owned(), (mode, content));
    }
}

#[test]
fn files_branch_and_index_go_back_and_forth() {
    let mut work = RewindProject::new();
    work.project.write("kept", "same").write("untracked", "first");
    work.project.git(&["add", "kept"]);
    work.snapshot();
    work.project.write("a.txt", "changed").write("new/deep", "x").remove("untracked");
    work.project.commit();
    work.project.write("later", "not committed");
    work.snapshot();
    let before = work.state();
    let record = work.rewind(0);
    assert_eq!(record.progress, RewindProgress::Done);
    assert_eq!((work.read("a.txt"), work.read("untracked")), ("a".into(), "first".into()));
    assert!(!work.path("new").exists() && !work.path("later").exists());
    assert_eq!(work.project.head(), *work.snapshots[0].head.as_ref().expect("there is one"));
    assert_eq!(work.project.git(&["status", "--porcelain"]), "?? kept\n?? untracked\n");
    assert_eq!(work.tree(), work.snapshots[0].tree);
    assert!(!work.rewinder().is_pending());
    work.undo();
    assert_eq!(work.state(), before);
    let records = work.rewinder().records().list().expect("they can be read");
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].progress, RewindProgress::Undone);
}

#[test]
fn what_was_there_is_kept_as_a_commit() {
    let mut work = RewindProject::new();
    work.snapshot();
    work.project.write("a.txt", "from the run");
    work.snapshot();
    work.project.write("a.txt", "precious");
    let mut rewinder = work.rewinder();
    let survey = work.survey(&mut rewinder, 0);
    assert_eq!(survey.changed_since, [PathBuf::from("a.txt")]);
    let record = rewinder.rewind(&survey, label(0)).expect("nothing is in the way");
    let name = format!("refs/forkhestra/{RUN}/before-rewind/1");
    assert_eq!(work.project.git(&["rev-parse", &name]).trim(), record.saved);
    assert_eq!(work.project.git(&["show", &format!("{name}:a.txt")]), "precious");
    assert_eq!(work.read("a.txt"), "a");
}

#[test]
fn a_link_out_of_the_work_tree_is_not_followed() {
    let mut work = RewindProject::new();
    work.project.write("d/x", "first");
    work.snapshot();
    work.project.remove("d/x");
    fs::remove_dir(work.path("d")).expect("it is empty");
    let outside = work.project.beside("outside");
    fs::create_dir(&outside).expect("it is ours");
    symlink(&outside, work.path("d")).expect("it is ours");
    work.snapshot();
    // A link that git knows is replaced.
    work.rewind(0);
    assert_eq!(work.read("d/x"), "first");
    assert!(!outside.join("x").exists());
    work.undo();
    // One that git does not know is in the way.
    work.project.write(".gitignore", "d\n");
    work.project.git(&["add", "--force", ".gitignore"]);
    work.snapshot();
    let mut rewinder = work.rewinder();
    let survey = work.survey(&mut rewinder, 0);
    let obstacles: Vec<&Path> = survey.obstacles.iter().map(PathBuf::as_path).collect();
    assert_eq!(obstacles, [Path::new("d")]);
}

#[test]
fn commits_and_branches_of_others_are_seen() {
    let mut work = RewindProject::new();
    work.snapshot();
    work.project.write("b", "b").commit();
    work.snapshot();
    let mut rewinder = work.rewinder();
    assert_eq!(work.survey(&mut rewinder, 0).head_relation, HeadRelation::Same);
    work.project.write("c", "c").commit();
    let relation = work.survey(&mut rewinder, 0).head_relation;
    let HeadRelation::Ahead { commits, more } = relation else { panic!("{relation:?}") };
    assert_eq!((commits.len(), more), (1, 0));
    let files = work.survey_of(&mut rewinder, 0, RewindScope::FilesOnly);
    assert_eq!(files.head_relation, HeadRelation::Same);
    work.project.git(&["checkout", "--quiet", "-b", "other", "HEAD~2"]);
    work.project.write("d", "d").commit();
    let relation = work.survey(&mut rewinder, 0).head_relation;
    assert!(matches!(relation, HeadRelation::OtherBranch(_)), "{relation:?}");
    fs::write(work.path(".git/MERGE_HEAD"), work.project.head()).expect("it is ours");
    let operation = work.survey(&mut rewinder, 0).operation;
    assert_eq!(operation.as_deref(), Some("a merge is in progress"));
}

#[test]
fn the_branch_stays_if_only_files_go_back() {
    let mut work = RewindProject::new();
    work.snapshot();
    work.project.write("a.txt", "b").commit();
    work.snapshot();
    let (head, before) = (work.project.head(), work.state());
    let mut rewinder = work.rewinder();
    let survey = work.survey_of(&mut rewinder, 0, RewindScope::FilesOnly);
    rewinder.rewind(&survey, label(0)).expect("nothing is in the way");
    assert_eq!((work.project.head(), work.read("a.txt")), (head, "a".into()));
    assert_eq!(work.project.git(&["status", "--porcelain"]), " M a.txt\n");
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn a_repository_without_commits_goes_back_to_none() {
    let mut project = TestProject::new();
    project.git(&["init", "--quiet"]);
    project.work_in("", Some(RUN));
    let mut work = RewindProject { project, snapshots: Vec::new() };
    work.project.write("a", "first");
    work.snapshot();
    work.project.write("a", "second").commit();
    work.snapshot();
    let before = work.state();
    work.rewind(0);
    assert_eq!((work.project.head(), work.read("a")), (String::new(), "first".into()));
    assert_eq!(work.project.git(&["status", "--porcelain"]), "?? a\n");
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn a_record_without_the_changed_paths_is_understood() {
    let mut work = RewindProject::new();
    work.snapshot();
    work.project.write("a.txt", "b").write("new", "x");
    work.snapshot();
    let before = work.state();
    work.rewind(0);
    assert_ne!(work.state(), before);
    fs::remove_file(work.project.beside("run/kept/rewinds/1.paths")).expect("it is written");
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn a_failure_restores_everything() {
    let mut work = RewindProject::new();
    work.project.write("d/x", "first");
    work.snapshot();
    work.project.write("d/x", "second").write("e", "e").commit();
    work.snapshot();
    let before = work.state();
    let mut rewinder = work.rewinder();
    let survey = work.survey(&mut rewinder, 0);
    // A ref that cannot be created: its name is the directory of another.
    let blocker = format!("refs/forkhestra/{RUN}/before-rewind/1/x");
    work.project.git(&["update-ref", &blocker, "HEAD"]);
    let error = rewinder.rewind(&survey, label(0)).expect_err("it cannot be saved");
    assert!(matches!(error, RewindError::Git(_)), "{error}");
    assert_eq!(work.state(), before);
    assert!(!work.rewinder().is_pending());
    work.project.git(&["update-ref", "-d", &blocker]);
    // The branch moves meanwhile.
    work.project.write("f", "f").commit();
    let before = work.state();
    let error = rewinder.rewind(&survey, label(0)).expect_err("the branch has moved");
    assert!(matches!(error, RewindError::RolledBack(_)), "{error}");
    assert_eq!(work.state(), before);
    assert!(!work.rewinder().is_pending());
}

#[test]
fn a_file_that_changes_meanwhile_is_not_replaced() {
    let mut work = RewindProject::new();
    work.project.write("b", "first").write("c", "first");
    work.snapshot();
    work.project.write("b", "second").write("c", "second");
    work.snapshot();
    let mut rewinder = work.rewinder();
    let survey = work.survey(&mut rewinder, 0);
    // Git is the last program that runs before files are replaced.
    let hook = work.project.beside("bin");
    fs::create_dir(&hook).expect("it is ours");
    let script = format!(
        "#!/bin/sh\n/usr/bin/env -u PATH PATH=/usr/local/bin:/usr/bin:/bin git \"$@\"\ncode=$?\n\
         case \"$*\" in *\"update-ref refs\"*before-rewind*) echo edited >> '{}' ;; esac\nexit $code\n",
        work.path("c").display()
    );
    fs::write(hook.join("git"), script).expect("it is ours");
    fs::set_permissions(hook.join("git"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut disturbed = work.rewinder_with_path(&format!("{}:/usr/bin:/bin", hook.display()));
    let error = disturbed.rewind(&survey, label(0)).expect_err("a file has changed");
    assert!(matches!(error, RewindError::RolledBack(_)), "{error}");
    assert_eq!((work.read("b"), work.read("c")), ("second".into(), "secondedited\n".into()));
    assert!(!work.rewinder().is_pending());
    assert_eq!(work.rewinder().records().list().expect("they can be read"), []);
}

#[test]
fn a_pending_rewind_names_its_run() {
    let work = RewindProject::new();
    assert_eq!(pending_rewind(&work.project.work), None);
    let directory = work.path(".git/forkhestra-rewind");
    fs::create_dir(&directory).expect("it is ours");
    assert_eq!(pending_rewind(&work.project.work), None);
    fs::write(directory.join("run"), RUN).expect("it is ours");
    assert_eq!(pending_rewind(&work.project.work).as_deref(), Some(RUN));
    let linked = work.project.beside("linked");
    work.project.git(&["worktree", "add", "--quiet", &linked.to_string_lossy()]);
    assert_eq!(pending_rewind(&linked), None);
}

#[test]
fn records_without_the_order_of_undos_are_understood() {
    let mut work = RewindProject::new();
    for text in ["first", "second", "third"] {
        work.project.write("a.txt", text).commit();
        work.snapshot();
    }
    let mut rewinder = work.rewinder();
    for to in [1, 0] {
        let expected = work.left(&mut rewinder);
        let target = work.snapshots[to].clone();
        let survey = rewinder.survey(target, &expected, RewindScope::Everything);
        rewinder.rewind(&survey.expect("git answers"), label(to)).expect("nothing is in the way");
    }
    work.undo();
    work.undo();
    for mut older in rewinder.records().list().expect("they can be read") {
        older.undo = None;
        rewinder.records().write(&older).expect("there is room");
    }
    let expected = work.left(&mut rewinder);
    let last = work.snapshots[2].clone();
    assert_eq!((expected.tree, expected.head), (last.tree, last.head));
}
