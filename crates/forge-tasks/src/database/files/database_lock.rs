//! The lock of a directory of tasks.
//!
//! It is a lock of the system on the directory itself. There is no lock file, and the lock ends
//! with its process.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::directory_handle::DirectoryHandle;
use crate::database::DatabaseError;

/// How often a directory is opened again that was moved away during the wait for its lock.
const MAX_TRIES: u32 = 100;

/// The pause between two tries to take the lock. The system call that waits has no timeout.
const PAUSE: Duration = Duration::from_millis(5);

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
        timeout: Duration,
    ) -> Result<Self, DatabaseLockError> {
        let end = Instant::now() + timeout;
        loop {
            let tried = match with {
                LockSharing::None => file.try_lock(),
                LockSharing::Readers => file.try_lock_shared(),
            };
            match tried {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => return Err(DatabaseLockError::Refused(error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                    return Err(DatabaseLockError::TimedOut);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }
}

impl Drop for DatabaseLock {
    /// Closing the file is not enough if a child process has just inherited it.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Opens a directory and takes its lock; `None` if there is no such directory.
pub(crate) fn lock_alone(
    path: &Path,
    timeout: Duration,
) -> Result<Option<(DirectoryHandle, DatabaseLock)>, DatabaseError> {
    let end = Instant::now() + timeout;
    for _ in 0..MAX_TRIES {
        let Some(folder) = DirectoryHandle::open(path)? else { return Ok(None) };
        let file = folder.handle().try_clone().map_err(DatabaseError::of("open", path))?;
        let left = end.saturating_duration_since(Instant::now());
        let lock =
            DatabaseLock::take(file, LockSharing::None, left).map_err(|error| match error {
                DatabaseLockError::TimedOut => {
                    DatabaseError::Locked { path: path.to_owned(), waited: timeout }
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
