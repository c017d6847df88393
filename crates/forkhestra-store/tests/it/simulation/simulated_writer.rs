//! A process that uses a state directory, from taking the lock to releasing it.

use std::path::{Path, PathBuf};

use forkhestra_core::event::Event;
use forkhestra_store::journal::journal_contents::{self, JournalReadError};
use forkhestra_store::{
    Durability, FileError, Journal, JournalLock, JournalOpenError, LockError, LockOwner, LockProof,
    RunDir, StateRoot, WorkTreeDir, WorkTreeLock,
};

use super::disk::disk_contents::DiskContents;
use super::disk::disk_history::JournalNote;
use super::disk::simulated_disk::SimulatedDisk;
use crate::temporary_dir::{owner, run_id, timestamp};

/// A simulated disk, and a state directory on it.
#[derive(Debug)]
pub(crate) struct SimulatedState {
    pub(crate) disk: &'static SimulatedDisk,
    pub(crate) root: StateRoot,
    pub(crate) tree: WorkTreeDir,
}

impl SimulatedState {
    pub(crate) fn new(top: &Path, contents: &DiskContents) -> Self {
        let disk = SimulatedDisk::new(top, contents);
        // On a new machine several directories are missing.
        let root = StateRoot::with_disk(disk, top.join("home/.local/state/forkhestra"));
        let tree = root.work_tree(Path::new("/home/ada/engine"));
        Self { disk, root, tree }
    }

    /// The contents of a disk with an empty home directory.
    pub(crate) fn empty() -> DiskContents {
        DiskContents([(PathBuf::from("home"), None)].into())
    }

    /// The directory of a run, if it exists.
    pub(crate) fn run(&self, bits: u64) -> Option<RunDir> {
        let runs = self.root.runs().expect("they can be listed");
        runs.into_iter().find(|run| *run.run() == run_id(bits))
    }
}

/// A process that writes a journal.
#[derive(Debug)]
pub(crate) struct SimulatedWriter {
    disk: &'static SimulatedDisk,
    hold: LockProof,
    journal: Journal,
}

/// Why a process could not continue.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriterFailure {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Read(#[from] JournalReadError),
    #[error(transparent)]
    Open(#[from] JournalOpenError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl WriterFailure {
    /// The error of the disk.
    pub(crate) fn file_error(self) -> Option<FileError> {
        match self {
            Self::Lock(LockError::Unusable(error))
            | Self::Read(JournalReadError::File(error))
            | Self::Open(JournalOpenError::File(error))
            | Self::File(error) => Some(error),
            _ => None,
        }
    }
}

impl SimulatedWriter {
    /// Starts a new run.
    pub(crate) fn start(state: &SimulatedState, bits: u64) -> Result<Self, WriterFailure> {
        let SimulatedState { disk, tree, .. } = state;
        let owner = lock_owner(bits);
        let lock_proof = LockProof::Locked(WorkTreeLock::acquire(tree, &owner)?.lock);
        let run = tree.create_run(&lock_proof, &run_id(bits), timestamp())?;
        let journal = Journal::create(&run, &lock_proof, &owner, Durability::Fsync)?;
        disk.note(JournalNote::Begun(bits));
        Ok(Self { disk, hold: lock_proof, journal })
    }

    /// Resumes a run.
    pub(crate) fn resume(
        state: &SimulatedState,
        run: &RunDir,
        pid: u64,
    ) -> Result<Self, WriterFailure> {
        let SimulatedState { disk, tree, .. } = state;
        let owner = lock_owner(pid);
        let lock = JournalLock::acquire(run, &owner)?;
        let lock_proof = LockProof::Locked(WorkTreeLock::acquire(tree, &owner)?.lock);
        let recorded = journal_contents::read(&run.journal())?;
        let journal = Journal::open_for_append(lock, &lock_proof, &recorded, Durability::Fsync)?;
        disk.note(JournalNote::Found(recorded.events));
        Ok(Self { disk, hold: lock_proof, journal })
    }

    pub(crate) fn append(&mut self, event: &Event) -> Result<(), WriterFailure> {
        self.disk.note(JournalNote::Appending(Box::new(event.clone())));
        self.journal.append(event)?;
        self.disk.note(JournalNote::Appended);
        Ok(())
    }

    pub(crate) fn append_all(&mut self, events: &[Event]) -> Result<(), WriterFailure> {
        events.iter().try_for_each(|event| self.append(event))
    }

    pub(crate) fn end(self) -> Result<(), WriterFailure> {
        drop(self.journal);
        Ok(self.hold.release()?)
    }
}

/// The process with this number.
pub(crate) fn lock_owner(number: u64) -> LockOwner {
    owner(u32::try_from(number).expect("a small number"))
}
