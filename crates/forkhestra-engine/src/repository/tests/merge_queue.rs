//! Tests of the git operations of the merge queue with real repositories.

mod batches;
mod conflicts;
mod fetching;
mod forward;
mod interrupted_forward;
mod refs;
mod rooms;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;

use crate::repository::{
    CommitPerson, EntryMerge, FetchedLane, LandingMessage, LandingSignature, LaneCommits,
    LaneToFetch, MergeEntry, MergeQueueError, MergedBatch, QueueLocation, QueueRepository,
    SnapshotLocation,
};
use crate::test_project::{RUN, TestProject, commit, git, inherited};

/// A project with an integration ref, and lanes that are clones of it.
struct QueueProject {
    project: TestProject,
}

impl QueueProject {
    /// A project whose first commit is in the integration ref.
    fn new() -> Self {
        Self::of(TestProject::repository())
    }

    fn of(project: TestProject) -> Self {
        let queue = Self { project };
        queue.queue().integration_ref().create("HEAD").expect("it does not exist");
        queue
    }

    fn queue(&self) -> QueueRepository {
        self.queue_in(&inherited())
    }

    fn queue_in(&self, environment: &[(OsString, OsString)]) -> QueueRepository {
        let run = RunId::parse(RUN).expect("it is an id");
        let (kept, scratch) = (self.project.beside("run/kept"), self.project.beside("queue"));
        let snapshots = SnapshotLocation {
            run: &run,
            directory: &self.project.work,
            persistent_directory: &kept,
            environment,
        };
        let own = self.project.work.join("state of runs");
        let location = QueueLocation { snapshots, own_paths: &[&own], scratch: &scratch };
        QueueRepository::open(location).expect("it is a repository")
    }

    /// The integration commit.
    fn tip(&self) -> String {
        let read = self.queue().integration_ref().read().expect("git answers");
        read.expect("it exists")
    }

    /// A new lane at the integration commit.
    fn lane(&self, number: u32) -> QueueLane {
        let path = self.project.beside(&format!("lane-{number}"));
        let (from, to) = (self.project.work.to_string_lossy(), path.to_string_lossy());
        let tip = self.tip();
        git(&self.project.work, &["clone", "--quiet", "--shared", "--no-checkout", &from, &to]);
        git(&path, &["checkout", "--quiet", "-B", "main", &tip]);
        QueueLane { path, number, base: tip }
    }

    fn fetch(&self, lane: &QueueLane) -> Result<FetchedLane, MergeQueueError> {
        let source = LaneToFetch { number: lane.number, directory: &lane.path, base: &lane.base };
        self.queue().fetch_lane(&source, &self.tip())
    }

    #[track_caller]
    fn fetch_commits(&self, lane: &QueueLane) -> LaneCommits {
        match self.fetch(lane).expect("it can be fetched") {
            FetchedLane::Commits(commits) => commits,
            other => panic!("{other:?}"),
        }
    }

    /// Fetches lanes and merges them onto the integration commit.
    fn merge(&self, lanes: &[&QueueLane]) -> MergedBatch {
        let heads: Vec<String> = lanes.iter().map(|lane| self.fetch_commits(lane).head).collect();
        let entries: Vec<MergeEntry> = heads.iter().map(|head| entry(head)).collect();
        self.queue().merge_batch(&self.tip(), &entries, &[]).expect("git answers")
    }

    /// Lands lanes, all of which fit.
    #[track_caller]
    fn land(&self, lanes: &[&QueueLane]) -> String {
        let from = self.tip();
        let batch = self.merge(lanes);
        let fits = |entry: &EntryMerge| {
            matches!(entry, EntryMerge::FastForwarded | EntryMerge::Merged { .. })
        };
        assert!(batch.entries.iter().all(fits), "{batch:?}");
        self.queue().integration_ref().advance(&from, &batch.tip).expect("nobody moved it");
        batch.tip
    }

    fn show(&self, commit: &str, path: &str) -> String {
        self.project.git(&["cat-file", "blob", &format!("{commit}:{path}")])
    }
}

/// A clone in which an agent works.
struct QueueLane {
    path: PathBuf,
    number: u32,
    base: String,
}

impl QueueLane {
    fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
        fs::write(path, text).expect("it is ours");
        self
    }

    /// Removes a file, and its directory if that is empty then.
    fn remove(&self, name: &str) -> &Self {
        let path = self.path.join(name);
        fs::remove_file(&path).expect("it is ours");
        let _ = fs::remove_dir(path.parent().expect("it is below"));
        self
    }

    fn commit(&self) -> &Self {
        commit(&self.path);
        self
    }

    fn git(&self, args: &[&str]) -> String {
        git(&self.path, args)
    }

    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }
}

fn entry(head: &str) -> MergeEntry {
    MergeEntry {
        commit: head.to_owned(),
        message: LandingMessage {
            subject: "Land TASK-007: Rename the cart".to_owned(),
            trailers: vec![
                ("Forkhestra-Run".to_owned(), RUN.to_owned()),
                ("Forkhestra-Unit".to_owned(), "1-2-1".to_owned()),
            ],
        },
        signature: signature(),
        overlay: Vec::new(),
    }
}

fn signature() -> LandingSignature {
    let person = |name: &str| CommitPerson { name: name.to_owned(), email: format!("{name}@x") };
    let at = Timestamp::from_milliseconds(1_700_000_000_123);
    LandingSignature { author: person("author"), committer: person("committer"), at }
}

/// An executable shell script.
fn script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("it is ours");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}
