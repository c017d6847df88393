//! The journal of a run: the truth, one event per line.
//!
//! A line is written with one call and nothing is kept in memory, so whoever kills us loses no
//! event that was appended. A power failure loses none that [must be
//! durable](forkhestra_core::event::EventKind::must_be_durable), and cuts off no more than the end.

use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Event, EventKind};

use crate::error::FileError;
use crate::files;
use crate::format::{Version, encode_into};
use crate::journal_lock::JournalLock;
use crate::lock::{Hold, LockError};
use crate::owner::Owner;
use crate::replay::Recorded;
use crate::reservation::Reservation;
use crate::run_dir::RunDir;

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
    /// How long the file is without what a failed append may have left.
    length: u64,
    /// Whether a failed append may have left something that could not be cut off.
    is_torn: bool,
    next_seq: u64,
    reservation: Reservation,
    line: Vec<u8>,
}

/// Why a journal cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
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
        hold: &Hold,
        owner: &Owner,
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
        hold: &Hold,
        recorded: &Recorded,
        durability: Durability,
    ) -> Result<Self, OpenError> {
        hold.check(&lock.run().work_tree())?;
        let mut journal = Self::new(lock, durability);
        let path = journal.path.clone();
        if !recorded.format.is_writable() {
            return Err(OpenError::NewerFormat { path, found: recorded.format });
        }
        let found = journal.lock.file().metadata().map_err(FileError::of("read", &path))?.len();
        if found != recorded.length_read() {
            return Err(OpenError::Changed { path });
        }
        journal.length = recorded.length;
        journal.is_torn = recorded.torn.is_some();
        journal.next_seq = recorded.next_seq;
        journal.cut_torn_end()?;
        Ok(journal)
    }

    fn new(lock: JournalLock, durability: Durability) -> Self {
        Self {
            path: lock.run().journal(),
            lock,
            durability,
            length: 0,
            is_torn: false,
            next_seq: 0,
            reservation: Reservation::default(),
            line: Vec::new(),
        }
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
        self.cut_torn_end()?;
        if matches!(event.kind, EventKind::IterationStarted { .. }) {
            // Without room for its outcome an iteration would be paid for again.
            self.reservation
                .make_room(self.lock.file(), self.length)
                .map_err(FileError::of("reserve space for", &self.path))?;
        }
        if let Err(error) = self.write(event) {
            self.is_torn = true;
            // What cannot be cut off now is cut off before the next append.
            let _ = self.cut_torn_end();
            return Err(FileError::of("write", &self.path)(error));
        }
        self.length += self.line.len() as u64;
        self.next_seq += 1;
        if matches!(event.kind, EventKind::RunFinished { .. }) {
            self.reservation.give_back(self.lock.file(), self.length);
        }
        Ok(())
    }

    fn write(&mut self, event: &Event) -> io::Result<()> {
        self.line.clear();
        encode_into(&mut self.line, event, self.next_seq);
        self.line.push(b'\n');
        // One call takes all of it, unless there is no room.
        let file = self.lock.file();
        file.write_all(&self.line)?;
        if self.durability == Durability::Fsync && event.kind.must_be_durable() {
            file.sync_data()?;
        }
        Ok(())
    }

    fn cut_torn_end(&mut self) -> Result<(), FileError> {
        if self.is_torn {
            self.lock.file().set_len(self.length).map_err(FileError::of("truncate", &self.path))?;
            self.is_torn = false;
            self.reservation = Reservation::default();
        }
        Ok(())
    }
}
