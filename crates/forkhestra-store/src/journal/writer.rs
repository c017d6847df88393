//! Writes the journal of a run, one event per line.
//!
//! A line is written with one call and not buffered, so a kill loses no appended event. A power
//! failure loses no event that [must be
//! durable](forkhestra_core::event::DurabilityTracker::must_be_durable), and damages only the end.
//!
//! After a failed sync the contents of the disk are unknown: the kernel may have dropped dirty
//! pages, and the next sync still succeeds. So lines are kept in memory until they are synced, and
//! written again after an error. A resume does the same with the last lines of the journal, since
//! the previous writer may have ended because of such an error.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{DurabilityTracker, Event, EventKind};

use crate::disk::DiskFile;
use crate::disk::disk_reserve::DiskReserve;
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::disk::reading;
use crate::format::{LineHashes, Version, encode_into};
use crate::journal::journal_contents::{JournalContents, WrongHash};
use crate::journal::journal_lock::JournalLock;
use crate::runs::lock_owner::LockOwner;
use crate::runs::run_dir::RunDir;
use crate::runs::work_tree_lock::{LockError, LockProof};

/// What a journal has to survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A power failure: events that must be durable are synced before anything else happens.
    Fsync,
    /// The death of this process: bytes in the page cache are safe enough.
    Os,
}

/// The journal of a run, open for appending.
#[derive(Debug)]
pub struct Journal {
    lock: JournalLock,
    path: PathBuf,
    durability: Durability,
    /// The length that is synced.
    safe: u64,
    /// The lines after that. They are in the file, too.
    unsafe_lines: Vec<u8>,
    /// Whether the file may differ after the synced length, or the disk may have lost lines.
    is_in_doubt: bool,
    next_seq: u64,
    chain: LineHashes,
    /// The last line that was appended, without its line break.
    last_line: Vec<u8>,
    safety: DurabilityTracker,
    reservation: DiskReserve,
}

/// Why a journal cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum JournalOpenError {
    /// A newer version wrote events that are unknown here.
    #[error("{} is written in format {found}, and {} is the newest that can be continued", path.display(), Version::CURRENT)]
    NewerFormat { path: PathBuf, found: Version },
    /// A line does not continue the chain of hashes.
    #[error("line {} of {} {}", .broken.line, path.display(), .broken.why)]
    WrongHash { path: PathBuf, broken: WrongHash },
    /// The file has changed since it was read.
    #[error("{} was changed after it had been read", path.display())]
    Changed { path: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
}

impl Journal {
    /// Creates and locks the journal of a new run.
    pub fn create(
        run: &RunDir,
        lock_proof: &LockProof,
        owner: &LockOwner,
        durability: Durability,
    ) -> Result<Self, LockError> {
        let tree = run.work_tree();
        lock_proof.check(&tree)?;
        let lock = JournalLock::create(run, owner)?;
        if durability == Durability::Fsync {
            let directories = [Some(run.path()), Some(tree.path()), tree.path().parent()];
            let sync = |path: &Path| files::sync_directory(run.disk(), path);
            directories.into_iter().flatten().try_for_each(sync)?;
        }
        Ok(Self::new(lock, durability))
    }

    /// Continues the journal of a run. A torn end is cut off.
    pub fn open_for_append(
        lock: JournalLock,
        lock_proof: &LockProof,
        recorded: &JournalContents,
        durability: Durability,
    ) -> Result<Self, JournalOpenError> {
        lock_proof.check(&lock.run().work_tree())?;
        let mut journal = Self::new(lock, durability);
        let path = journal.path.clone();
        if !recorded.format.is_writable() {
            return Err(JournalOpenError::NewerFormat { path, found: recorded.format });
        }
        if let Some(broken) = recorded.wrong_hash {
            return Err(JournalOpenError::WrongHash { path, broken });
        }
        let found = journal.lock.file().metadata().map_err(FileError::of("read", &path))?.len();
        if found != recorded.length_read() {
            return Err(JournalOpenError::Changed { path });
        }
        journal.next_seq = recorded.next_seq;
        journal.chain = recorded.chain.clone();
        journal.safety = recorded.safety;
        match durability {
            Durability::Fsync => journal.mark_last_lines_unsynced(recorded)?,
            Durability::Os => {
                journal.safe = recorded.length;
                journal.is_in_doubt = recorded.torn.is_some();
            }
        }
        journal.sync_unsynced_lines()?;
        Ok(journal)
    }

    /// Treats the last lines as unsynced: all that the writer need not have synced.
    fn mark_last_lines_unsynced(&mut self, recorded: &JournalContents) -> Result<(), FileError> {
        self.safe = recorded.safe;
        let length = usize::try_from(recorded.length - recorded.safe).expect("it was in memory");
        self.unsafe_lines.resize(length, 0);
        self.is_in_doubt = true;
        reading::open(&self.path)
            .and_then(|file| file.read_exact_at(&mut self.unsafe_lines, self.safe))
            .map_err(FileError::of("read", &self.path))
    }

    fn new(lock: JournalLock, durability: Durability) -> Self {
        Self {
            path: lock.run().journal(),
            lock,
            durability,
            safe: 0,
            unsafe_lines: Vec::new(),
            is_in_doubt: false,
            next_seq: 0,
            chain: LineHashes::default(),
            last_line: Vec::new(),
            safety: DurabilityTracker::default(),
            reservation: DiskReserve::default(),
        }
    }

    /// The directory of the run.
    pub fn run(&self) -> &RunDir {
        self.lock.run()
    }

    /// The lock that protects the journal.
    pub const fn lock(&self) -> &JournalLock {
        &self.lock
    }

    /// Releases the lock, also for forked processes that share it, so that another process can
    /// resume the run.
    pub fn release_for_all(self) -> Result<(), FileError> {
        self.lock.release_for_all()
    }

    /// Whether no other process has taken the journal. One can after a forked process released the
    /// lock for all.
    pub fn is_exclusive(&self) -> bool {
        self.lock.is_exclusive()
    }

    /// The path of the journal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The sequence number of the next line.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// The last line that this process appended, without its line break.
    pub fn last_line(&self) -> &[u8] {
        &self.last_line
    }

    /// Appends an event. After an error the journal is unchanged and can be used again.
    pub fn append(&mut self, event: &Event) -> Result<(), FileError> {
        self.sync_unsynced_lines()?;
        if matches!(event.kind, EventKind::IterationStarted { .. }) {
            // Without space for its outcome an iteration would have to be paid for twice.
            self.reservation
                .reserve_ahead(self.lock.file(), self.length())
                .map_err(FileError::of("reserve space for", &self.path))?;
        }
        let (line, chain) = (self.unsafe_lines.len(), self.chain.clone());
        if let Err(error) = self.write(event) {
            self.unsafe_lines.truncate(line);
            self.chain = chain;
            self.is_in_doubt = true;
            // If this fails, the next append tries again.
            let _ = self.sync_unsynced_lines();
            return Err(FileError::of("write", &self.path)(error));
        }
        self.next_seq += 1;
        if matches!(event.kind, EventKind::RunFinished { .. }) {
            self.reservation.release_unused(self.lock.file(), self.length());
        }
        Ok(())
    }

    fn write(&mut self, event: &Event) -> io::Result<()> {
        let line = self.unsafe_lines.len();
        encode_into(&mut self.unsafe_lines, event, self.next_seq);
        self.chain.seal(&mut self.unsafe_lines, line);
        self.last_line.clear();
        self.last_line.extend_from_slice(&self.unsafe_lines[line..]);
        self.unsafe_lines.push(b'\n');
        // One write takes all bytes unless the disk is full.
        self.lock.file().write_all(&self.unsafe_lines[line..])?;
        let mut safety = self.safety;
        if safety.must_be_durable(&event.kind) || self.durability == Durability::Os {
            self.sync(self.lock.file())?;
            self.mark_all_synced();
        }
        // Only events that were written without an error count.
        self.safety = safety;
        Ok(())
    }

    /// Makes sure that all lines are in the file and on the disk.
    fn sync_unsynced_lines(&mut self) -> Result<(), FileError> {
        if self.is_in_doubt {
            self.write_again().map_err(FileError::of("write", &self.path))?;
            self.is_in_doubt = false;
            self.reservation = DiskReserve::default();
        }
        Ok(())
    }

    /// Writes the same bytes at the same offset, so a kill in between loses nothing.
    fn write_again(&mut self) -> io::Result<()> {
        // The open file is in append mode and cannot be written elsewhere.
        let file = files::open_to_change(self.lock.run().disk(), &self.path)?;
        file.set_len(self.length())?;
        file.write_all_at(&self.unsafe_lines, self.safe)?;
        self.sync(&*file)?;
        self.mark_all_synced();
        Ok(())
    }

    fn sync(&self, file: &dyn DiskFile) -> io::Result<()> {
        match self.durability {
            Durability::Fsync => file.sync_data(),
            Durability::Os => Ok(()),
        }
    }

    fn mark_all_synced(&mut self) {
        self.safe = self.length();
        self.unsafe_lines.clear();
    }

    /// The length of the file without the remains of a failed append.
    fn length(&self) -> u64 {
        self.safe + self.unsafe_lines.len() as u64
    }
}
