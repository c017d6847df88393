//! Finds processes, files and locks that a run should not leave behind.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rustix::process::{Signal, getpid, kill_process};

use crate::test_process::TestProcess;

/// The files that a run keeps in its directory.
pub const KEPT: &[&str] = &[
    "journal.jsonl",
    "messages.jsonl",
    "origin.json",
    "output",
    "overview.json",
    "stats.json",
    "console.log",
];

/// Whether a file stays with its run: copies of snapshots, records of rewinds, and states at the start
/// of a step, also in a lane.
fn is_lasting(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_state = ["protected-", "uncommitted-"].iter().any(|start| name.starts_with(start));
    let is_lane = || name.starts_with("lane-") && entries(path).iter().all(|file| is_lasting(file));
    is_state || matches!(&*name, "snapshots.git" | "rewinds" | "branch-of-lanes") || is_lane()
}

/// Finds leftovers of everything that was started in one [`TestEnv`](crate::TestEnv).
#[derive(Debug, Clone)]
pub struct LeftoverProcesses {
    root: PathBuf,
}

impl LeftoverProcesses {
    /// The variable that marks all started processes. Its value is the root directory of the test.
    pub const MARK: &str = "FORKHESTRA_TEST_ROOT";

    /// Leftovers below this root directory.
    pub fn of(root: PathBuf) -> Self {
        Self { root }
    }

    /// The root directory of the test.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All live processes that were started, by environment, arguments and working directory.
    pub fn processes(&self) -> Vec<TestProcess> {
        let root = self.root.to_str().expect("temporary files have plain names");
        let mark = format!("{}={root}", Self::MARK);
        let tags: Vec<String> = self.runs().iter().filter_map(|run| run_tag(run)).collect();
        let guards: Vec<TestProcess> = self.runs().iter().filter_map(|run| guard(run)).collect();
        let is_ours = |process: &TestProcess| {
            // Guard and runner show their environment only to root.
            guards.iter().any(|guard| guard == process || process.parent() == Some(*guard))
                || process.has_variable(&mark)
                || tags.iter().any(|tag| process.has_variable(tag))
                || process.is_called_with(root)
                || process.works_in(&self.root)
        };
        let others = TestProcess::all().into_iter().filter(|process| process.0 != getpid());
        others.filter(is_ours).filter(|process| !process.is_gone()).collect()
    }

    /// The directories of all runs, oldest first.
    pub fn runs(&self) -> Vec<PathBuf> {
        let trees = self.work_trees();
        let runs = trees.iter().flat_map(|tree| entries(tree)).filter(|path| path.is_dir());
        let mut runs: Vec<PathBuf> = runs.collect();
        runs.sort();
        runs
    }

    /// Files that should have been removed.
    pub fn files(&self) -> Vec<PathBuf> {
        let is_kept = |path: &PathBuf| KEPT.iter().any(|name| path.ends_with(name));
        let has_only_copies = |path: &PathBuf| {
            path.ends_with("kept") && entries(path).iter().all(|file| is_lasting(file))
        };
        let of_runs = self.runs().into_iter().flat_map(|run| entries(&run));
        let unknown = of_runs.filter(|path| !is_kept(path) && !has_only_copies(path));
        unknown.chain(entries(&self.root.join("tmp"))).collect()
    }

    /// Locks that are still held, or were not released properly.
    pub fn locks(&self) -> Vec<PathBuf> {
        let locks = self.work_trees().into_iter().map(|tree| tree.join("lock"));
        let is_free = |lock: &PathBuf| {
            let file = File::open(lock).expect("it is ours");
            file.try_lock().is_ok() && fs::read(lock).expect("it is ours").is_empty()
        };
        locks.filter(|lock| lock.exists()).filter(|lock| !is_free(lock)).collect()
    }

    /// Kills all live processes.
    pub fn end_all(&self) {
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            for process in left {
                // A process that is already gone is fine.
                let _ = kill_process(process.0, Signal::KILL);
            }
        }
    }

    fn work_trees(&self) -> Vec<PathBuf> {
        entries(&self.root.join("home/.local/state/forkhestra"))
    }
}

/// The environment entry of a run's agents.
fn run_tag(run: &Path) -> Option<String> {
    let (_, id) = run.file_name()?.to_str()?.split_once('-')?;
    Some(format!("FORKHESTRA_RUN_ID={id}"))
}

/// The guard that has locked a run.
fn guard(run: &Path) -> Option<TestProcess> {
    let owner = fs::read_to_string(run.join("owner")).ok()?;
    let (_, pid) = owner.split_once("\"pid\":")?;
    let end = pid.find(|letter: char| !letter.is_ascii_digit())?;
    let guard = TestProcess::from_text(&pid[..end])?;
    guard.is_called_with("forkhestra").then_some(guard)
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
