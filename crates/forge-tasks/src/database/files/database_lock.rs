//! The lock of a directory of tasks.
//!
//! It is a lock of the system on the directory itself. There is no lock file, and the lock ends
//! with its process.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::directory_handle::DirectoryHandle;
use crate::database::DatabaseError;

/// How often a directory is opened again that was moved away during the wait for its lock.
const TRIES: u32 = 100;

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct DatabaseLock {
    file: File,
}

/// Which other processes may hold the lock at the same time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LockSharing {
    /// No other process.
    None,
    /// Other readers.
    Readers,
}

/// Why the lock was not taken.
#[derive(Debug)]
pub(crate) enum DatabaseLockError {
    /// Another process holds it for too long.
    TimedOut,
    /// The system refused.
    Refused(io::Error),
}

impl DatabaseLock {
    /// Takes the lock of an open directory, whose handle must not be shared.
    pub(crate) fn take(
        file: File,
        with: LockSharing,
        patience: Duration,
    ) -> Result<Self, DatabaseLockError> {
        let tried = match with {
            LockSharing::None => file.try_lock(),
            LockSharing::Readers => file.try_lock_shared(),
        };
        match tried {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::Error(error)) => Err(DatabaseLockError::Refused(error)),
            Err(TryLockError::WouldBlock) => wait_for(file, with, patience),
        }
    }
}

impl Drop for DatabaseLock {
    /// Closing the file is not enough if a child process has just inherited it.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Waits in a thread of its own, since the system call has no timeout. A thread that gets the lock
/// too late closes the file, which releases the lock.
fn wait_for(
    file: File,
    with: LockSharing,
    patience: Duration,
) -> Result<DatabaseLock, DatabaseLockError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let waiting = move || {
        let _ = sender.send(block_on(&file, with).map(|()| DatabaseLock { file }));
    };
    thread::Builder::new().spawn(waiting).map_err(DatabaseLockError::Refused)?;
    match receiver.recv_timeout(patience) {
        Ok(locked) => locked.map_err(DatabaseLockError::Refused),
        Err(RecvTimeoutError::Timeout) => Err(DatabaseLockError::TimedOut),
        Err(RecvTimeoutError::Disconnected) => {
            Err(DatabaseLockError::Refused(io::Error::other("the thread that waited is gone")))
        }
    }
}

fn block_on(file: &File, with: LockSharing) -> io::Result<()> {
    loop {
        let locked = match with {
            LockSharing::None => file.lock(),
            LockSharing::Readers => file.lock_shared(),
        };
        match locked {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Opens a directory and takes its lock; `None` if there is no such directory.
pub(crate) fn lock_alone(
    path: &Path,
    patience: Duration,
) -> Result<Option<(DirectoryHandle, DatabaseLock)>, DatabaseError> {
    let end = Instant::now() + patience;
    for _ in 0..TRIES {
        let Some(folder) = DirectoryHandle::open(path)? else { return Ok(None) };
        let file = folder.handle().try_clone().map_err(DatabaseError::of("open", path))?;
        let left = end.saturating_duration_since(Instant::now());
        let lock =
            DatabaseLock::take(file, LockSharing::None, left).map_err(|error| match error {
                DatabaseLockError::TimedOut => {
                    DatabaseError::Locked { path: path.to_owned(), waited: patience }
                }
                // Nothing would keep two writers apart.
                DatabaseLockError::Refused(why) => DatabaseError::Refused(format!(
                    "cannot lock {}: {why}; its file system must support flock",
                    path.display()
                )),
            })?;
        if is_still_at(&folder, path).map_err(DatabaseError::of("look at", path))? {
            return Ok(Some((folder, lock)));
        }
    }
    let why = io::Error::other("it is being moved about");
    Err(DatabaseError::of("open", path)(why))
}

/// Whether a path still leads to a directory. It can be moved during the wait.
pub(crate) fn is_still_at(folder: &DirectoryHandle, path: &Path) -> io::Result<bool> {
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let held = folder.handle().metadata().map(identity)?;
    match fs::metadata(path).map(identity) {
        Ok(there) => Ok(there == held),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
