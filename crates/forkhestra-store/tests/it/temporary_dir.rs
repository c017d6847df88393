//! A temporary state directory.

use std::fs;
use std::path::Path;

use forkhestra_core::event::Event;
use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;
use forkhestra_store::journal::journal_contents::{self, JournalContents, JournalReadError};
use forkhestra_store::{
    Durability, Journal, JournalLock, JournalOpenError, LockOwner, LockProof, RunDir, StateRoot,
    WorkTreeDir,
};
use tempfile::TempDir;

pub(crate) struct TemporaryDir {
    directory: TempDir,
    pub(crate) root: StateRoot,
    pub(crate) tree: WorkTreeDir,
}

impl TemporaryDir {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("there is a place for temporary files");
        let root = StateRoot::new(directory.path().join("state"));
        let tree = root.work_tree(Path::new("/home/ada/engine"));
        Self { directory, root, tree }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A run whose journal holds these bytes.
    pub(crate) fn run_with(&self, journal: impl AsRef<[u8]>) -> RunDir {
        let run =
            self.tree.create_run(&LockProof::Waived, &run_id(1), timestamp()).expect("a directory");
        fs::write(run.journal(), journal).expect("a file");
        run
    }

    /// A run to which these events were appended, and its journal.
    pub(crate) fn run_of(&self, events: &[Event]) -> (RunDir, Journal) {
        let run =
            self.tree.create_run(&LockProof::Waived, &run_id(1), timestamp()).expect("a directory");
        let mut journal = Journal::create(&run, &LockProof::Waived, &owner(1), Durability::Os)
            .expect("a new journal");
        for event in events {
            journal.append(event).expect("there is room");
        }
        (run, journal)
    }
}

pub(crate) fn read(run: &RunDir) -> Result<JournalContents, JournalReadError> {
    journal_contents::read(&run.journal())
}

/// Resumes a journal that no other process writes.
pub(crate) fn reopened(
    run: &RunDir,
    recorded: &JournalContents,
) -> Result<Journal, JournalOpenError> {
    let lock = JournalLock::acquire(run, &owner(1)).expect("no other process writes it");
    Journal::open_for_append(lock, &LockProof::Waived, recorded, Durability::Os)
}

pub(crate) fn run_id(bits: u64) -> RunId {
    RunId::from_random(bits)
}

pub(crate) fn timestamp() -> Timestamp {
    Timestamp::parse("2026-11-15T07:59:12.123Z").expect("a moment")
}

pub(crate) fn owner(pid: u32) -> LockOwner {
    LockOwner { pid, run: run_id(7), since: timestamp() }
}
