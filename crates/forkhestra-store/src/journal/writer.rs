//! The journal of a run: the truth, one event per line.
//!
//! A line is written with one call and nothing is kept in memory, so whoever kills us loses no
//! event that was appended. A power failure loses none that [must be
//! durable](forkhestra_core::event::DurabilityTracker::must_be_durable), and cuts off no more than the end.
//!
//! After a sync that failed nobody knows what is on the disk: the system may have given up what was
//! to be written, and says that all is well when it is asked again. So lines are remembered until
//! they are safe, and written again after an error. Whoever goes on with a journal does the same with
//! its last lines, since the error may have been the end of whoever wrote them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{DurabilityTracker, Event, EventKind};

use crate::disk::DiskFile;
use crate::disk::disk_reserve::DiskReserve;
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::format::{Version, encode_into};
use crate::journal::journal_contents::JournalContents;
use crate::journal::journal_lock::JournalLock;
use crate::runs::lock_owner::LockOwner;
use crate::runs::run_dir::RunDir;
use crate::runs::work_tree_lock::{LockError, LockProof};

/// What has to be survived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A power failure: what must be durable is on the disk before anything else happens.
    Fsync,
    /// Our own death: what the system has taken is safe enough.
    Os,
}

/// The journal of a run, to be appended to.
#[derive(Debug)]
pub struct Journal {
    lock: JournalLock,
    path: PathBuf,
    durability: Durability,
    /// How much of the file is safe.
    safe: u64,
    /// The lines behind that. They are in the file, too.
    unsafe_lines: Vec<u8>,
    /// Whether the file may hold something else behind what is safe, or the disk may have lost it.
    is_in_doubt: bool,
    next_seq: u64,
    safety: DurabilityTracker,
    reservation: DiskReserve,
}

/// Why a journal cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum JournalOpenError {
    /// It was written by a newer version, whose events we do not know.
    #[error("{} is written in format {found}, and {} is the newest that can be continued", path.display(), Version::CURRENT)]
    NewerFormat {
        /// The journal.
        path: PathBuf,
        /// Its version.
        found: Version,
    },
    /// Somebody else has written to it since it was read.
    #[error("{} was changed after it had been read", path.display())]
    Changed {
        /// The journal.
        path: PathBuf,
    },
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Journal {
    /// Creates the journal of a new run, for this owner alone.
    pub fn create(
        run: &RunDir,
        hold: &LockProof,
        owner: &LockOwner,
        durability: Durability,
    ) -> Result<Self, LockError> {
        let tree = run.work_tree();
        hold.check(&tree)?;
        let lock = JournalLock::create(run, owner)?;
        if durability == Durability::Fsync {
            let directories = [Some(run.path()), Some(tree.path()), tree.path().parent()];
            let sync = |path: &Path| files::sync_directory(run.disk(), path);
            directories.into_iter().flatten().try_for_each(sync)?;
        }
        Ok(Self::new(lock, durability))
    }

    /// Goes on with the journal of a run. What was torn at its end is cut off.
    pub fn open_for_append(
        lock: JournalLock,
        hold: &LockProof,
        recorded: &JournalContents,
        durability: Durability,
    ) -> Result<Self, JournalOpenError> {
        hold.check(&lock.run().work_tree())?;
        let mut journal = Self::new(lock, durability);
        let path = journal.path.clone();
        if !recorded.format.is_writable() {
            return Err(JournalOpenError::NewerFormat { path, found: recorded.format });
        }
        let found = journal.lock.file().metadata().map_err(FileError::of("read", &path))?.len();
        if found != recorded.length_read() {
            return Err(JournalOpenError::Changed { path });
        }
        journal.next_seq = recorded.next_seq;
        journal.safety = recorded.safety;
        match durability {
            Durability::Fsync => journal.doubt_last_lines(recorded)?,
            Durability::Os => {
                journal.safe = recorded.length;
                journal.is_in_doubt = recorded.torn.is_some();
            }
        }
        journal.settle_doubts()?;
        Ok(journal)
    }

    /// Takes the last lines for unsafe: all that need not have been safe when they were written.
    fn doubt_last_lines(&mut self, recorded: &JournalContents) -> Result<(), FileError> {
        self.safe = recorded.safe;
        let length = usize::try_from(recorded.length - recorded.safe).expect("it was in memory");
        self.unsafe_lines.resize(length, 0);
        self.is_in_doubt = true;
        File::open(&self.path)
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
            safety: DurabilityTracker::default(),
            reservation: DiskReserve::default(),
        }
    }

    /// The run.
    pub fn run(&self) -> &RunDir {
        self.lock.run()
    }

    /// The lock that it is written under.
    pub const fn lock(&self) -> &JournalLock {
        &self.lock
    }

    /// Lets others go on with the run, although processes that were forked off have the journal too.
    pub fn release_for_all(self) -> Result<(), FileError> {
        self.lock.release_for_all()
    }

    /// Whether nobody else has the journal: a process that was forked off may have let others have it.
    pub fn is_exclusive(&self) -> bool {
        self.lock.is_exclusive()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the next line.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Appends an event. After an error the journal is as if this had not been tried, and can be
    /// used again.
    pub fn append(&mut self, event: &Event) -> Result<(), FileError> {
        self.settle_doubts()?;
        if matches!(event.kind, EventKind::IterationStarted { .. }) {
            // Without room for its outcome an iteration would be paid for again.
            self.reservation
                .reserve_ahead(self.lock.file(), self.length())
                .map_err(FileError::of("reserve space for", &self.path))?;
        }
        let line = self.unsafe_lines.len();
        if let Err(error) = self.write(event) {
            self.unsafe_lines.truncate(line);
            self.is_in_doubt = true;
            // What cannot be settled now is settled before the next append.
            let _ = self.settle_doubts();
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
        self.unsafe_lines.push(b'\n');
        // One call takes all of it, unless there is no room.
        self.lock.file().write_all(&self.unsafe_lines[line..])?;
        let mut safety = self.safety;
        if safety.must_be_durable(&event.kind) || self.durability == Durability::Os {
            self.sync(self.lock.file())?;
            self.all_is_safe();
        }
        // Only of what was written without an error.
        self.safety = safety;
        Ok(())
    }

    /// Makes sure that all lines are what they should be, here and on the disk.
    fn settle_doubts(&mut self) -> Result<(), FileError> {
        if self.is_in_doubt {
            self.write_again().map_err(FileError::of("write", &self.path))?;
            self.is_in_doubt = false;
            self.reservation = DiskReserve::default();
        }
        Ok(())
    }

    /// Writes the same bytes in the same place, so that nothing is lost if we are killed meanwhile.
    fn write_again(&mut self) -> io::Result<()> {
        // The file that is open already is only ever written at its end.
        let file = files::open_to_change(self.lock.run().disk(), &self.path)?;
        file.set_len(self.length())?;
        file.write_all_at(&self.unsafe_lines, self.safe)?;
        self.sync(&*file)?;
        self.all_is_safe();
        Ok(())
    }

    fn sync(&self, file: &dyn DiskFile) -> io::Result<()> {
        match self.durability {
            Durability::Fsync => file.sync_data(),
            Durability::Os => Ok(()),
        }
    }

    fn all_is_safe(&mut self) {
        self.safe = self.length();
        self.unsafe_lines.clear();
    }

    /// How long the file is without what a failed append may have left.
    fn length(&self) -> u64 {
        self.safe + self.unsafe_lines.len() as u64
    }
}
