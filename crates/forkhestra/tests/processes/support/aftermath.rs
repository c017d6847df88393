//! What must not be there when a test is over.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;

use rustix::process::{Signal, getpid, kill_process};

use super::processes::Process;

/// What stays of a run.
const RUN_FILES: [&str; 3] = ["journal.jsonl", "output", "overview.json"];

/// Looks for leftovers when it is dropped. A test that fails anyway leaves none either.
pub(crate) struct Aftermath {
    root: PathBuf,
}

impl Aftermath {
    /// The variable by which everything that a test starts can be found.
    pub(crate) const MARK: &str = "FORKHESTRA_TEST_ROOT";

    pub(crate) fn of(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Everything that the test has started and that is alive, by its environment, its arguments
    /// and its working directory.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let root = self.root.to_str().expect("temporary files have plain names");
        let mark = format!("{}={root}", Self::MARK);
        let tags: Vec<String> = self.runs().iter().filter_map(|run| run_tag(run)).collect();
        let is_ours = |process: &Process| {
            process.has_variable(&mark)
                || tags.iter().any(|tag| process.has_variable(tag))
                || process.is_called_with(root)
                || process.works_in(&self.root)
        };
        let others = Process::all().into_iter().filter(|process| process.0 != getpid());
        others.filter(is_ours).filter(|process| !process.is_gone()).collect()
    }

    /// The directories of all runs.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        let trees = entries(&self.root.join("home/.local/state/forkhestra"));
        trees.iter().flat_map(|tree| entries(tree)).filter(|path| path.is_dir()).collect()
    }

    fn end_all(&self) {
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            for process in left {
                // Who is gone by now is what we want.
                let _ = kill_process(process.0, Signal::KILL);
            }
        }
    }

    /// Files that should have been removed.
    fn files(&self) -> Vec<PathBuf> {
        let of_runs = self.runs().into_iter().flat_map(|run| entries(&run));
        let is_known = |path: &PathBuf| RUN_FILES.iter().any(|name| path.ends_with(name));
        let unknown = of_runs.filter(|path| !is_known(path));
        unknown.chain(entries(&self.root.join("tmp"))).collect()
    }

    /// Locks that somebody still has, or that were not given back in good order.
    fn locks(&self) -> Vec<PathBuf> {
        let trees = entries(&self.root.join("home/.local/state/forkhestra"));
        let locks = trees.into_iter().map(|tree| tree.join("lock")).filter(|lock| lock.exists());
        let is_free = |lock: &PathBuf| {
            let file = File::open(lock).expect("it is ours");
            file.try_lock().is_ok() && fs::read(lock).expect("it is ours").is_empty()
        };
        locks.filter(|lock| !is_free(lock)).collect()
    }
}

impl Drop for Aftermath {
    fn drop(&mut self) {
        let left: Vec<String> = self.processes().into_iter().map(Process::describe).collect();
        self.end_all();
        if thread::panicking() {
            return;
        }
        assert!(left.is_empty(), "processes are left: {left:#?}");
        let (files, locks) = (self.files(), self.locks());
        assert!(files.is_empty(), "files are left: {files:?}");
        assert!(locks.is_empty(), "locks are held or name somebody: {locks:?}");
    }
}

/// What agents of a run have in their environment.
fn run_tag(run: &Path) -> Option<String> {
    let (_, id) = run.file_name()?.to_str()?.split_once('-')?;
    Some(format!("FORKHESTRA_RUN_ID={id}"))
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
