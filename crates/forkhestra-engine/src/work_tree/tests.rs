//! Work trees of real repositories, and of none.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::process::Children;

struct Project {
    directory: TempDir,
    work: PathBuf,
    tree: WorkTree,
}

fn tree(work: &Path, scratch: PathBuf, environment: &[(OsString, OsString)]) -> WorkTree {
    let git = Git::new(environment, Arc::new(Children::default()));
    let state = work.join("state of runs");
    fs::create_dir_all(&state).expect("it is ours");
    WorkTree::new(Places::new(work.to_owned(), scratch, state), git)
}

impl Project {
    fn new() -> Self {
        Self::called("work")
    }

    fn called(name: &str) -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let work = directory.path().join(name);
        fs::create_dir(&work).expect("the directory is ours");
        let inherited: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let tree = tree(&work, directory.path().join("scratch"), &inherited);
        Self { directory, work, tree }
    }

    /// Has another program stand in for git: a shell script, which gets the arguments of git.
    fn with_git(mut self, script: &str) -> Self {
        let bin = self.directory.path().join("bin");
        fs::create_dir(&bin).expect("the directory is ours");
        let git = bin.join("git");
        fs::write(&git, format!("#!/bin/sh\n{script}\n")).expect("it is ours");
        fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let environment = [("PATH".into(), path.into())];
        self.tree = tree(&self.work, self.directory.path().join("scratch"), &environment);
        self
    }

    fn repository() -> Self {
        let project = Self::new();
        project.git(&["init", "--quiet"]);
        project.write("a.txt", "a").commit();
        project
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.work.join(name);
        fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
        fs::write(path, text).expect("it is ours");
        self
    }

    fn git(&self, args: &[&str]) -> String {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@y", "-C"];
        let output = Command::new("git").args(identity).arg(&self.work).args(args).output();
        let output = output.expect("git is there");
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]);
    }

    fn seen(&mut self) -> Fingerprint {
        let seen = self.tree.look();
        assert_eq!(seen.notice, None);
        seen.tree.expect("it can be seen")
    }
}

#[test]
fn every_change_of_a_repository_is_seen_and_nothing_else() {
    let mut project = Project::repository();
    let mut seen = vec![project.seen()];
    assert_eq!(project.seen(), seen[0], "looking changes nothing");
    type Change = fn(&Project);
    let changes: [(&str, Change); 4] = [
        ("an edit", |project| {
            project.write("a.txt", "b");
        }),
        ("a new file", |project| {
            project.write("new/b.txt", "b");
        }),
        ("a commit of what was there", Project::commit),
        ("a commit of nothing", Project::commit),
    ];
    for (what, change) in changes {
        change(&project);
        let now = project.seen();
        assert!(!seen.contains(&now), "{what} is not seen");
        seen.push(now);
    }
}

#[test]
fn an_edit_that_is_taken_back_leads_to_what_was_there() {
    let mut project = Project::repository();
    let before = project.seen();
    project.write("a.txt", "b");
    assert_ne!(project.seen(), before);
    project.write("a.txt", "a");
    assert_eq!(project.seen(), before);
}

#[test]
fn looking_leaves_the_repository_alone() {
    let mut project = Project::repository();
    project.write("new.txt", "new");
    let (status, objects) = (["status", "--porcelain"], ["count-objects"]);
    let before = (project.git(&status), project.git(&objects));
    project.seen();
    assert_eq!((project.git(&status), project.git(&objects)), before);
}

#[test]
fn ignored_files_are_no_work_but_tasks_are() {
    let mut project = Project::repository();
    project.write(".gitignore", "target\nforge\n").commit();
    let before = project.seen();
    project.write("target/x", "x");
    assert_eq!(project.seen(), before);
    project.write("forge/tasks/TASK-001.md", "x");
    assert_ne!(project.seen(), before);
}

#[test]
fn where_runs_are_kept_is_no_work() {
    for mut project in [Project::repository(), Project::new()] {
        let before = project.seen();
        project.write("state of runs/tree/journal.jsonl", "x");
        assert_eq!(project.seen(), before);
    }
}

#[test]
fn where_runs_are_kept_is_no_work_whether_git_ignores_it_or_not() {
    for ignored in ["state of runs/", "state of runs", "*.jsonl", "state*", "nothing"] {
        let mut project = Project::repository();
        project.write(".gitignore", &format!("{ignored}\n")).commit();
        let before = project.seen();
        project.write("state of runs/tree/journal.jsonl", "x");
        assert_eq!(project.seen(), before, "{ignored}");
        project.write("a.txt", "b");
        assert_ne!(project.seen(), before, "{ignored}");
    }
}

#[test]
fn a_repository_without_a_commit_can_be_seen() {
    let mut project = Project::new();
    project.git(&["init", "--quiet"]);
    let before = project.seen();
    project.write("a.txt", "a");
    assert_ne!(project.seen(), before);
}

#[test]
fn outside_a_repository_files_are_looked_at() {
    let mut project = Project::new();
    project.write("deep/er/a.txt", "a");
    let before = project.seen();
    assert_eq!(project.seen(), before);
    project.write(".agent-state/x", "ours");
    assert_eq!(project.seen(), before, "our own files are no work");
    project.write("deep/er/b.txt", "");
    assert_ne!(project.seen(), before);
}

#[test]
fn what_git_cannot_add_is_looked_at_as_files() {
    let mut project = Project::repository();
    project.write("embedded/a.txt", "a");
    project.git(&["init", "--quiet", "embedded"]);
    let before = project.seen();
    assert_eq!(project.seen(), before);
    project.write("state of runs/tree/journal.jsonl", "x");
    assert_eq!(project.seen(), before);
    project.write("embedded/b.txt", "b");
    let after = project.seen();
    assert_ne!(after, before);
    project.write("a.txt", "b");
    assert_ne!(project.seen(), after, "the rest is seen as well");
}

#[test]
fn names_may_have_any_character() {
    for name in ["two\nlines", ":(top)*", "[a-z]* \"\\"] {
        let mut project = Project::called(name);
        project.git(&["init", "--quiet"]);
        project.write(name, "a").commit();
        project.write(".gitignore", "ignored\n");
        let before = project.seen();
        project.write("ignored", "x").write("state of runs/x", "x");
        assert_eq!(project.seen(), before, "{name}");
        project.write(name, "b");
        assert_ne!(project.seen(), before, "{name}");
    }
}

#[test]
fn a_lock_that_a_killed_git_left_is_no_hindrance() {
    let mut project = Project::repository();
    let before = project.seen();
    let lock = project.directory.path().join("scratch/index.lock");
    fs::write(lock, "").expect("it is ours");
    assert_eq!(project.seen(), before);
}

#[test]
fn where_runs_are_kept_is_known_behind_a_link() {
    let project = Project::new();
    let link = project.directory.path().join("link");
    symlink(&project.work, &link).expect("it is ours");
    let mut tree = tree(&link, project.directory.path().join("scratch"), &[]);
    let before = tree.look().tree;
    project.write("state of runs/tree/journal.jsonl", "x");
    assert_eq!((before.is_some(), tree.look().tree), (true, before));
}

#[test]
fn files_are_compared_where_git_fails_which_is_told_once() {
    let fails_to_add =
        r#"case "$*" in *" add "*) echo fatal: no >&2; exit 128;; esac; exec git "$@""#;
    let fails_to_add = format!("PATH=/usr/local/bin:/usr/bin:/bin; {fails_to_add}");
    let mut project = Project::repository().with_git(&fails_to_add);
    let first = project.tree.look();
    let told = "git add failed (exit 128): fatal: no; names, sizes and times of files are \
                compared instead";
    assert_eq!(first.notice.as_deref(), Some(told));
    assert_eq!(Some(project.seen()), first.tree, "and nothing is told");
    project.write("a.txt", "longer");
    assert_ne!(Some(project.seen()), first.tree);
}

#[test]
fn a_git_that_hangs_is_killed_and_not_asked_again() {
    let hangs = "echo asked >> asked; sleep 1000 & sleep 1000";
    let mut project = Project::new().with_git(hangs);
    project.tree.patience = Duration::from_millis(500);
    let first = project.tree.look();
    let told = "git took too long; names, sizes and times of files are compared instead";
    assert_eq!(first.notice.as_deref(), Some(told));
    assert_eq!(Some(project.seen()), first.tree);
    // Where much is going on it may not even have come to that.
    let asked = fs::read_to_string(project.work.join("asked")).unwrap_or_default();
    assert!(asked.lines().count() <= 1, "{asked}");
}

#[test]
fn too_many_files_are_not_looked_at_again_and_again() {
    let mut project = Project::new();
    project.tree.means = Means::Files;
    project.tree.patience = Duration::ZERO;
    let first = project.tree.look();
    let told = "changes of the work tree cannot be seen: there are too many files";
    assert_eq!((first.tree, first.notice.as_deref()), (None, Some(told)));
    project.tree.patience = PATIENCE;
    let second = project.tree.look();
    assert_eq!((second.tree, second.notice), (None, None));
}

#[test]
fn nothing_is_started_when_the_run_is_over() {
    let mut project = Project::new().with_git("echo asked >> asked");
    project.tree.stop();
    project.tree.look();
    assert!(!project.work.join("asked").exists());
}

/// Otherwise it would be left behind by whoever removes it right after that.
#[test]
fn nothing_is_made_ready_for_git_when_the_run_is_over() {
    let project = Project::repository();
    let waits = "case $* in *HEAD*) : > asked; until [ -e go ]; do sleep 0.01; done ;; esac";
    let project = project.with_git(&format!("{waits}; PATH=/usr/bin:/bin exec git \"$@\""));
    let mut looking = project.tree.clone();
    let look = std::thread::spawn(move || looking.look());
    let deadline = Instant::now() + PATIENCE;
    while !project.work.join("asked").exists() && Instant::now() < deadline {
        std::thread::yield_now();
    }
    project.tree.stop();
    project.write("go", "");
    look.join().expect("looking does not fail");
    assert!(!project.directory.path().join("scratch").exists());
}
