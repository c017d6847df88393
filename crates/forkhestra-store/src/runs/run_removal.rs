//! Removes a run, or the output of its agents.
//!
//! The journal is locked during a removal, so the run cannot be resumed meanwhile. It is removed
//! last: after an interrupted removal, either the run can still be read, or a directory without a
//! journal is left. [`remove_leftover`] removes that; lists omit it. Links are removed but never
//! followed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;

use crate::disk::file_error::{FileError, found};
use crate::journal::journal_lock::JournalLock;
use crate::runs::lock_owner::LockOwner;
use crate::runs::run_dir::RunDir;
use crate::runs::state_root::entries;
use crate::runs::work_tree_lock::LockError;
use crate::view::ViewDir;

/// A locked run of which something is to be removed.
#[derive(Debug)]
pub struct RunRemoval {
    run: RunDir,
    /// `None` if there is no journal.
    _lock: Option<JournalLock>,
}

/// Why nothing was removed, or not everything.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// A process works on the run.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The run has changed since the decision to remove it.
    #[error("run {run} has gone on meanwhile")]
    Changed { run: RunId },
    /// A search reads its snapshots and has files in its directory.
    #[error("run {run} is being bisected")]
    Bisected { run: RunId },
    #[error(transparent)]
    File(#[from] FileError),
}

/// The length of a run's journal, to detect that the run has continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLength(Option<u64>);

impl JournalLength {
    /// The current length.
    pub fn of(run: &RunDir) -> Result<Self, FileError> {
        let journal = run.journal();
        let metadata = found(fs::metadata(&journal)).map_err(FileError::of("read", &journal))?;
        Ok(Self(metadata.map(|metadata| metadata.len())))
    }
}

impl RunRemoval {
    /// Locks a run for removal. Fails if its journal no longer has the length `seen`.
    pub fn begin(
        run: &RunDir,
        owner: &LockOwner,
        seen: JournalLength,
    ) -> Result<Self, RemoveError> {
        refuse_link(run.path())?;
        run.require_trusted()?;
        let lock = match seen.0 {
            Some(_) => Some(JournalLock::acquire(run, owner)?),
            None => None,
        };
        if JournalLength::of(run)? != seen {
            return Err(RemoveError::Changed { run: run.run().clone() });
        }
        Ok(Self { run: run.clone(), _lock: lock })
    }

    /// Removes the output of agents. The run can still be read and resumed.
    pub fn remove_output(&self) -> Result<(), FileError> {
        remove(&self.run.output())
    }

    /// Removes the run, including its views in its working directory, if that is known.
    pub fn remove_everything(self, working_directory: Option<&Path>) -> Result<(), FileError> {
        self.in_order(working_directory)?.iter().try_for_each(|path| remove(path))
    }

    /// All paths to remove, the journal last.
    fn in_order(&self, working_directory: Option<&Path>) -> Result<Vec<PathBuf>, FileError> {
        let (output, journal) = (self.run.output(), self.run.journal());
        let mut order = vec![output.clone()];
        order.extend(
            working_directory.map(|place| views(place, self.run.run())).unwrap_or_default(),
        );
        let others = entries(self.run.path())?.into_iter();
        order.extend(others.filter(|path| *path != output && *path != journal));
        order.extend([journal, self.run.path().to_owned()]);
        Ok(order)
    }
}

/// Whether the directory only holds what a run leaves that was killed before its first event, or
/// that was removed. A directory with any other content belongs to something else, or to a run
/// whose journal was lost.
pub fn is_leftover(run: &RunDir) -> Result<bool, FileError> {
    let expected = [run.journal(), run.owner_file(), run.console(), run.origin()];
    let output = run.output();
    let others = entries(run.path())?.into_iter().filter(|path| !expected.contains(path));
    for path in others {
        let is_empty = || fs::read_dir(&path).is_ok_and(|mut inside| inside.next().is_none());
        if path != output || !is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes the directory of a run without recorded events.
pub fn remove_leftover(run: &RunDir, owner: &LockOwner) -> Result<(), RemoveError> {
    let removal = RunRemoval::begin(run, owner, JournalLength::of(run)?)?;
    Ok(removal.remove_everything(None)?)
}

/// The views of a run in a working directory. Agents control that directory, so anything unreadable
/// there counts as no view.
fn views(working_directory: &Path, run: &RunId) -> Vec<PathBuf> {
    let directory = ViewDir::of(working_directory);
    let is_directory = |path: &Path| fs::symlink_metadata(path).is_ok_and(|data| data.is_dir());
    if !is_directory(directory.path()) {
        return Vec::new();
    }
    let mut found = directory.files_of(run).unwrap_or_default();
    found.retain(|path| !is_directory(path));
    found
}

/// Removes a file, a link or a directory with its content. A missing path is no error.
fn remove(path: &Path) -> Result<(), FileError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    found(removed).map(drop).map_err(FileError::of("remove", path))
}

/// Refuses a link in place of a run's directory: its target may belong to something else.
fn refuse_link(path: &Path) -> Result<(), FileError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            Err(FileError::of("remove", path)(io::Error::other("it is a link")))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(FileError::of("remove", path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::time::Timestamp;

    use super::*;
    use crate::disk::SYSTEM;
    use crate::journal::recorded_run;

    const JOURNAL: &str = include_str!("../../tests/fixtures/journal-1.0.jsonl");

    fn run_in(place: &Path) -> RunDir {
        let id = RunId::parse("abcd1234").expect("an id");
        let run = RunDir::below(&SYSTEM, place, id, Timestamp::default());
        fs::create_dir_all(run.output().join("1-1-1")).expect("there is room");
        fs::create_dir_all(place.join(".agent-state")).expect("there is room");
        for file in ["output/1-1-1/stdout", "overview.json", "scratch"] {
            fs::write(run.path().join(file), "x").expect("there is room");
        }
        fs::write(place.join(".agent-state").join("chain-abcd1234.json"), "{}")
            .expect("there is room");
        // The lines after these have one of each kind and are not a run.
        let journal: String = JOURNAL.split_inclusive('\n').take(30).collect();
        fs::write(run.journal(), journal).expect("there is room");
        run
    }

    /// Removes the first `removed` paths, and returns the total number of paths.
    fn cut_off_after(place: &Path, run: &RunDir, removed: usize) -> usize {
        let owner = LockOwner { pid: 1, run: run.run().clone(), since: Timestamp::default() };
        let seen = JournalLength::of(run).expect("it is there");
        let removal = RunRemoval::begin(run, &owner, seen).expect("no other process has it");
        let order = removal.in_order(Some(place)).expect("it can be listed");
        for path in &order[..removed] {
            remove(path).expect("it is ours");
        }
        order.len()
    }

    #[test]
    fn a_removal_that_is_cut_off_leaves_a_run_or_nothing() {
        for removed in 0..=7 {
            let directory = tempfile::tempdir().expect("there is room");
            let run = run_in(directory.path());
            let limit = cut_off_after(directory.path(), &run, removed);
            assert_eq!(limit, 7, "output, view, note, scratch, owner, journal, directory");
            match recorded_run::read(&run) {
                Ok(past) => assert!(removed < limit - 1 && past.history.iterations() > 0),
                Err(error) => assert!(removed >= limit - 1 && error.is_empty_run(), "{error}"),
            }
            // A directory without a journal is empty.
            let left = entries(run.path()).expect("it can be read");
            assert!(removed < limit - 1 || left.is_empty(), "{left:?}");
        }
    }
}
