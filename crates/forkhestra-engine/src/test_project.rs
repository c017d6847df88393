//! A project for tests: a working directory, usually a real repository.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::event::{BaselineDigests, Fingerprint, WorkTreeFingerprints};
use tempfile::TempDir;

use crate::process::ChildProcesses;
use crate::repository::git_program::GitProgram;
use crate::repository::{
    GitRepository, GitSession, SnapshotNumbers, SnapshotRequest, SnapshotStore,
};
use crate::secret_finder::SecretFinder;
use crate::work_tree::own_paths::real_path;
use crate::work_tree::query::WorkTreeQuery;
use crate::work_tree::{WorkTree, WorkTreeObservation, WorkTreePaths};

pub(crate) const RUN: &str = "0123abcd";

pub(crate) struct TestProject {
    /// Contains everything else.
    directory: TempDir,
    /// The working directory of agents.
    pub(crate) work: PathBuf,
    pub(crate) tree: WorkTree,
}

/// A query for a step that must do work.
pub(crate) fn work_tree_query() -> WorkTreeQuery {
    WorkTreeQuery {
        step: 1,
        begins: false,
        unrestored: Vec::new(),
        begins_fork: false,
        stagnation: false,
        cycles: None,
        work: true,
        uncommitted: false,
        protection: None,
        baselines: BaselineDigests::default(),
        keep: None,
        commits: false,
    }
}

pub(crate) fn keep(number: u32) -> WorkTreeQuery {
    let message = format!("after step 1, iteration {number}, attempt 1");
    WorkTreeQuery { keep: Some(SnapshotRequest { number, moment: message }), ..work_tree_query() }
}

pub(crate) fn inherited() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

impl TestProject {
    pub(crate) fn new() -> Self {
        Self::named("work")
    }

    pub(crate) fn named(name: &str) -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let work = real_path(directory.path()).join(name);
        fs::create_dir_all(work.join("state of runs")).expect("the directory is ours");
        let mut project = Self { directory, tree: tree(&work, &work, &inherited(), None), work };
        project.work_in("", None);
        project
    }

    pub(crate) fn repository() -> Self {
        let project = Self::new();
        project.git(&["init", "--quiet"]);
        project.write("a.txt", "a").commit();
        project
    }

    /// A repository whose work trees are saved as snapshots.
    pub(crate) fn kept_repository() -> Self {
        let mut project = Self::repository();
        project.work_in("", Some(RUN));
        project
    }

    /// Sets the working directory to a directory of the project.
    pub(crate) fn work_in(&mut self, name: &str, run: Option<&str>) {
        let work = if name.is_empty() { self.work.clone() } else { self.work.join(name) };
        fs::create_dir_all(&work).expect("it is ours");
        let run = run.map(str::to_owned);
        self.tree = tree(&work, &real_path(self.directory.path()), &inherited(), run);
    }

    /// Replaces the environment of git.
    pub(crate) fn with_environment(&mut self, environment: &[(OsString, OsString)]) {
        self.tree = tree(&self.work, &real_path(self.directory.path()), environment, None);
    }

    /// Replaces git by a shell script, which receives the arguments of git.
    pub(crate) fn with_git(mut self, script: &str) -> Self {
        let bin = self.beside("bin");
        fs::create_dir(&bin).expect("the directory is ours");
        let git = bin.join("git");
        fs::write(&git, format!("#!/bin/sh\n{script}\n")).expect("it is ours");
        fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        self.with_environment(&[("PATH".into(), path.into())]);
        self
    }

    /// Saves snapshots of work trees from now on.
    pub(crate) fn keep_as(&mut self, run: &str) {
        let (places, git) = (self.tree.places().clone(), self.tree.git().clone());
        let snapshots = snapshots(run.to_owned(), &places);
        self.tree = WorkTree::new(places, git, Some(snapshots), SecretFinder::default());
    }

    /// A path outside the work tree.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        real_path(self.directory.path()).join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.work.join(name);
        fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
        fs::write(path, text).expect("it is ours");
        self
    }

    pub(crate) fn remove(&self, name: &str) -> &Self {
        fs::remove_file(self.work.join(name)).expect("it is ours");
        self
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(&self.work, args)
    }

    /// The id of the current commit, or an empty text without one.
    pub(crate) fn head(&self) -> String {
        let args = ["rev-parse", "--quiet", "--verify", "HEAD"];
        let output = Command::new("git").arg("-C").arg(&self.work).args(args).output();
        let output = output.expect("git is there");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn commit(&self) {
        commit(&self.work);
    }

    /// Installs a git hook that leaves a trace file, and returns the path of that file.
    pub(crate) fn hook(&self, name: &str) -> PathBuf {
        let (hook, trace) = (self.work.join(".git/hooks").join(name), self.beside("hook-ran"));
        fs::create_dir_all(hook.parent().expect("it is below")).expect("it is ours");
        let script = format!("#!/bin/sh\ntouch '{}'\n", trace.display());
        fs::write(&hook, script).expect("it is ours");
        fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).expect("it is ours");
        trace
    }

    pub(crate) fn observe(&mut self, wanted: &WorkTreeQuery) -> WorkTreeObservation {
        self.tree.observe(wanted)
    }

    /// The fingerprint of the work tree; asserts that there are no notices.
    pub(crate) fn fingerprint(&mut self) -> Fingerprint {
        let seen = self.observe(&work_tree_query());
        assert_eq!(seen.notices, [""; 0]);
        seen.tree.expect("it can be seen")
    }

    pub(crate) fn signals(&mut self) -> WorkTreeFingerprints {
        self.observe(&work_tree_query()).signals.expect("it is a repository")
    }

    /// Runs a closure with a git session.
    pub(crate) fn session<T>(&mut self, work: impl FnOnce(&GitSession<'_>) -> T) -> T {
        let deadline = Instant::now() + Duration::from_secs(60);
        let repository = self.tree.repository(deadline).expect("git answers");
        let repository: GitRepository = repository.expect("it is a repository");
        work(&GitSession { git: self.tree.git(), repository: &repository, deadline })
    }
}

fn tree(
    work: &Path,
    place: &Path,
    environment: &[(OsString, OsString)],
    run: Option<String>,
) -> WorkTree {
    let git = GitProgram::new(environment, Arc::new(ChildProcesses::default()));
    let (scratch, kept) = (place.join("scratch"), place.join("run/kept"));
    let places = WorkTreePaths::new(work, &scratch, &kept, &[&work.join("state of runs")]);
    let snapshots = run.map(|run| snapshots(run, &places));
    WorkTree::new(places, git, snapshots, SecretFinder::default())
}

fn snapshots(run: String, places: &WorkTreePaths) -> SnapshotStore {
    SnapshotStore::new(run, &places.persistent_directory, SnapshotNumbers::default())
}

pub(crate) fn git(directory: &Path, args: &[&str]) -> String {
    let settings = ["user.name=x", "user.email=x@y", "protocol.file.allow=always"];
    let settings = settings.iter().flat_map(|setting| ["-c", setting]);
    let output = Command::new("git").args(settings).arg("-C").arg(directory).args(args).output();
    let output = output.expect("git is there");
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn commit(directory: &Path) {
    git(directory, &["add", "--all"]);
    git(directory, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
}
