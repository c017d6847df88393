//! The lock that allows one run per work tree at a time.
//!
//! It is a lock of the operating system: the system releases it when the last process that has the
//! file open ends. Forked processes share it, so a run whose runner was killed keeps its work tree
//! until the cleanup is complete. The content of the file is only for messages, and for finding the
//! processes of a dead owner.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use forkhestra_core::history::Liveness;
use forkhestra_core::id::RunId;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::disk::DiskFile;
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::disk::reading;
use crate::journal::journal_lock::JournalLock;
use crate::journal::recorded_run;
use crate::runs::lock_owner::LockOwner;
use crate::runs::work_tree_dir::WorkTreeDir;

/// The number of attempts to take a lock: its owner may be about to end.
pub(crate) const MAX_ATTEMPTS: u32 = 5;
/// The delay between attempts.
pub(crate) const RETRY_DELAY: Duration = Duration::from_millis(20);

/// The right to write below the directory of a work tree.
///
/// A dropped lock looks like that of an owner that died: the next owner has to look for
/// leftovers. [`release`](Self::release) avoids that.
#[derive(Debug)]
#[must_use = "a lock that is dropped locks nothing"]
pub struct WorkTreeLock {
    file: Box<dyn DiskFile>,
    /// The directory of the lock file, locked too: a lock file that is removed does not let another run start. `None`
    /// where directories cannot be locked.
    directory: Option<File>,
    path: PathBuf,
}

/// A lock that was taken.
#[derive(Debug)]
pub struct AcquiredLock {
    pub lock: WorkTreeLock,
    /// The previous owner, if it died and may have left processes behind.
    pub leftover: Option<LockOwner>,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds the lock.
    #[error("the work tree is in use{}", owner_description(owner.as_ref()))]
    Held {
        /// `None` if the lock is just being taken or released.
        owner: Option<LockOwner>,
        path: PathBuf,
    },
    /// Another process writes the journal of this run.
    #[error("run {run} is active{}", owner_text(owner.as_ref()))]
    RunActive { run: RunId, owner: Option<LockOwner> },
    /// The directory is read-only, or its file system does not support locks.
    #[error(transparent)]
    Unusable(#[from] FileError),
}

impl WorkTreeLock {
    /// Takes the lock of a work tree.
    pub fn acquire(tree: &WorkTreeDir, owner: &LockOwner) -> Result<AcquiredLock, LockError> {
        tree.require_trusted()?;
        files::create_lasting_directories(tree.disk(), tree.path())?;
        let path = tree.lock_file();
        let directory = lock_directory(tree, &path)?;
        let file =
            files::open_or_create(tree.disk(), &path).map_err(FileError::of("open", &path))?;
        if !lock_with_retries(&*file).map_err(FileError::of("lock", &path))? {
            return Err(LockError::Held { owner: parse_owner(&path)?, path });
        }
        let before = content(&path)?;
        if let Err(error) = put(&*file, owner.to_json().as_bytes()) {
            // Restores the entry of the previous owner for the next process.
            let _ = put(&*file, &before);
            return Err(FileError::of("write", &path)(error).into());
        }
        let leftover = LockOwner::from_json(&before);
        Ok(AcquiredLock { lock: Self { file, directory, path }, leftover })
    }

    /// Releases the lock. It stays taken while forked processes share it. If one of them has
    /// released it for all and another process has taken it, nothing happens.
    pub fn release(self) -> Result<(), FileError> {
        if is_taken_over(&*self.file) {
            return Ok(());
        }
        self.file.set_len(0).map_err(FileError::of("write", &self.path))
    }

    /// Releases the lock, also for forked processes that share it.
    pub fn release_for_all(self) -> Result<(), FileError> {
        self.file.set_len(0).map_err(FileError::of("write", &self.path))?;
        let unlock = |file: BorrowedFd<'_>| {
            flock(file, FlockOperation::Unlock)
                .map_err(|error| FileError::of("unlock", &self.path)(error.into()))
        };
        self.directory.as_ref().map_or(Ok(()), |directory| unlock(directory.as_fd()))?;
        unlock(self.file.as_fd())
    }
}

/// For a process that closes all other descriptors and keeps this one.
impl AsFd for WorkTreeLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Required by functions that write: the lock, or the operator's waiver of it.
#[derive(Debug)]
pub enum LockProof {
    Locked(WorkTreeLock),
    /// `--no-lock`: the operator asserts that no other run uses the work tree.
    Waived,
}

impl LockProof {
    /// Releases the lock, if there is one.
    pub fn release(self) -> Result<(), FileError> {
        match self {
            Self::Locked(lock) => lock.release(),
            Self::Waived => Ok(()),
        }
    }

    /// Checks that the lock belongs to the work tree that is written to.
    pub(crate) fn check(&self, tree: &WorkTreeDir) -> Result<(), FileError> {
        let Self::Locked(lock) = self else { return Ok(()) };
        let path = tree.lock_file();
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let held = lock.file.metadata().map(identity);
        let there = fs::metadata(&path).map(identity);
        match held.and_then(|held| Ok(held == there?)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(io::Error::other("the lock that is held is another one")),
            Err(error) => Err(error),
        }
        .map_err(FileError::of("rely on", &path))
    }
}

/// Locks the directory of a work tree. Older versions lock only the file in it.
fn lock_directory(tree: &WorkTreeDir, path: &Path) -> Result<Option<File>, LockError> {
    let directory = File::open(tree.path()).map_err(FileError::of("open", tree.path()))?;
    match lock_with_retries(&directory) {
        Ok(true) => Ok(Some(directory)),
        Ok(false) => {
            let owner = parse_owner(path).ok().flatten();
            let owner = owner.or_else(|| active_owner(tree));
            Err(LockError::Held { owner, path: path.to_owned() })
        }
        // Some file systems lock only files that are open for writing.
        Err(_) => Ok(None),
    }
}

/// The process of an active run, for a lock file that was removed.
fn active_owner(tree: &WorkTreeDir) -> Option<LockOwner> {
    let mut runs = tree.runs().ok()?.into_iter();
    let active = runs.find(|run| recorded_run::liveness(run) == Liveness::Alive)?;
    JournalLock::owner_of(&active).ok().flatten()
}

/// Whether another process has taken a lock that this process had, after a forked process released
/// it for all. A lock that is still held stays held.
pub(crate) fn is_taken_over(file: &dyn DiskFile) -> bool {
    flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
}

/// Tries to lock a file [`MAX_ATTEMPTS`] times.
pub(crate) fn lock_with_retries(file: &dyn DiskFile) -> io::Result<bool> {
    for tries_left in (0..MAX_ATTEMPTS).rev() {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if tries_left > 0 => thread::sleep(RETRY_DELAY),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Writes the content of a lock file. It names an owner at every moment: the new entry is complete
/// before the rest of a longer one is cut off.
fn put(file: &dyn DiskFile, content: &[u8]) -> io::Result<()> {
    file.write_all_at(content, 0)?;
    file.set_len(content.len() as u64)
}

/// The owner that a lock file names. An incomplete entry names none: its owner died before doing
/// anything.
pub(crate) fn parse_owner(path: &Path) -> Result<Option<LockOwner>, FileError> {
    Ok(LockOwner::from_json(&content(path)?))
}

fn content(path: &Path) -> Result<Vec<u8>, FileError> {
    reading::read(path).map_err(FileError::of("read", path))
}

fn owner_description(owner: Option<&LockOwner>) -> String {
    owner.map(|owner| format!(" by {owner}")).unwrap_or_default()
}

fn owner_text(owner: Option<&LockOwner>) -> String {
    owner.map(|LockOwner { pid, .. }| format!(" (process {pid})")).unwrap_or_default()
}
