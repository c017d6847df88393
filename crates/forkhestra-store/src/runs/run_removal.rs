//! Removing a run, or what its agents printed.
//!
//! Whoever removes has the journal locked, so nobody goes on with the run meanwhile. What can be
//! missed goes first and the journal last: a run whose removal was cut off is a run that can still be
//! read, or a directory without a journal, of which nobody speaks any more and which [`leftover`]
//! tidies up. Links are removed, and never followed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;

use crate::disk::file_error::FileError;
use crate::journal::journal_lock::JournalLock;
use crate::runs::lock_owner::LockOwner;
use crate::runs::run_dir::RunDir;
use crate::runs::state_root::entries;
use crate::runs::work_tree_lock::LockError;
use crate::view::ViewDir;

/// A run that nobody else can work on, of which something is to be removed.
#[derive(Debug)]
pub struct RunRemoval {
    run: RunDir,
    /// There is none if there is no journal.
    _lock: Option<JournalLock>,
}

/// Why nothing was removed, or not everything.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// Somebody is at work on the run.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The run is not any more what it was when somebody decided to remove it.
    #[error("run {run} has gone on meanwhile")]
    Changed {
        /// The run.
        run: RunId,
    },
    /// Something cannot be removed.
    #[error(transparent)]
    File(#[from] FileError),
}

/// How long the journal of a run is: one that has become longer is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLength(Option<u64>);

impl JournalLength {
    /// The length now.
    pub fn of(run: &RunDir) -> Result<Self, FileError> {
        let journal = run.journal();
        match fs::metadata(&journal) {
            Ok(metadata) => Ok(Self(Some(metadata.len()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self(None)),
            Err(error) => Err(FileError::of("read", &journal)(error)),
        }
    }
}

impl RunRemoval {
    /// Takes a run that was like this when it was decided to remove something of it.
    pub fn begin(
        run: &RunDir,
        owner: &LockOwner,
        seen: JournalLength,
    ) -> Result<Self, RemoveError> {
        refuse_link(run.path())?;
        let lock = match seen.0 {
            Some(_) => Some(JournalLock::acquire(run, owner)?),
            None => None,
        };
        if JournalLength::of(run)? != seen {
            return Err(RemoveError::Changed { run: run.run().clone() });
        }
        Ok(Self { run: run.clone(), _lock: lock })
    }

    /// Removes what its agents printed. The run can be read and resumed as before.
    pub fn remove_output(&self) -> Result<(), FileError> {
        remove(&self.run.output())
    }

    /// Removes everything: also what is shown of the run in its working directory, if that is known.
    pub fn remove_everything(self, working_directory: Option<&Path>) -> Result<(), FileError> {
        self.in_order(working_directory)?.iter().try_for_each(|path| remove(path))
    }

    /// Everything there is to remove, the journal last.
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

/// Whether this is all that a run leaves which was killed before anything happened, or of which
/// everything has been removed. A directory that holds anything more is not that of such a run,
/// whatever its name; or it holds what is left of one whose journal was lost.
pub fn is_leftover(run: &RunDir) -> Result<bool, FileError> {
    let (output, expected) = (run.output(), [run.journal(), run.owner_file(), run.console()]);
    let others = entries(run.path())?.into_iter().filter(|path| !expected.contains(path));
    for path in others {
        let is_empty = || fs::read_dir(&path).is_ok_and(|mut inside| inside.next().is_none());
        if path != output || !is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes the directory of a run of which nothing was ever recorded, or nothing is left.
pub fn remove_leftover(run: &RunDir, owner: &LockOwner) -> Result<(), RemoveError> {
    let removal = RunRemoval::begin(run, owner, JournalLength::of(run)?)?;
    Ok(removal.remove_everything(None)?)
}

/// The files in a working directory that show a run. Where they are is another one's directory, so
/// whatever cannot be looked into holds none.
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

/// Removes a file, a link or a directory with everything in it. What is not there is gone already.
fn remove(path: &Path) -> Result<(), FileError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(FileError::of("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// What a link in the place of a run's directory leads to may be somebody else's.
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
        fs::write(run.journal(), JOURNAL).expect("there is room");
        run
    }

    /// Removes the first things there are to remove, and says how many there were in all.
    fn cut_off_after(place: &Path, run: &RunDir, removed: usize) -> usize {
        let owner = LockOwner { pid: 1, run: run.run().clone(), since: Timestamp::default() };
        let seen = JournalLength::of(run).expect("it is there");
        let removal = RunRemoval::begin(run, &owner, seen).expect("nobody else has it");
        let order = removal.in_order(Some(place)).expect("it can be listed");
        for path in &order[..removed] {
            remove(path).expect("it is ours");
        }
        order.len()
    }

    #[test]
    fn a_removal_that_is_cut_off_leaves_a_run_or_nothing() {
        for removed in 0..=7 {
            let place = tempfile::tempdir().expect("there is room");
            let run = run_in(place.path());
            let most = cut_off_after(place.path(), &run, removed);
            assert_eq!(most, 7, "output, view, note, scratch, owner, journal, directory");
            match recorded_run::read(&run) {
                Ok(past) => assert!(removed < most - 1 && past.history.iterations() > 0),
                Err(error) => assert!(removed >= most - 1 && error.is_empty_run(), "{error}"),
            }
            // What is left without a journal is empty.
            let left = entries(run.path()).expect("it can be read");
            assert!(removed < most - 1 || left.is_empty(), "{left:?}");
        }
    }
}
