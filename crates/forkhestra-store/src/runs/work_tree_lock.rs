//! One run per work tree at a time.
//!
//! The lock is the system's: it goes when the last process that has the file open is gone, however
//! that ends. A process that is forked off shares it, so a run whose runner was killed keeps its
//! work tree until everything is cleaned up. What is written in the file is only for messages, and
//! to know whose traces to look for.

use std::fs::{self, TryLockError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use forkhestra_core::id::RunId;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::disk::DiskFile;
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::runs::lock_owner::LockOwner;
use crate::runs::work_tree_dir::WorkTreeDir;

/// How often a lock that is taken is tried: its owner may be just about to end.
pub(crate) const TRIES: u32 = 5;
/// How long to wait between tries.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// The right to write below the directory of a work tree.
///
/// A lock that is merely dropped looks like that of an owner who died: whoever comes next is told
/// to look for leftovers. [`release`](Self::release) leaves nothing behind.
#[derive(Debug)]
#[must_use = "a lock that is dropped locks nothing"]
pub struct WorkTreeLock {
    file: Box<dyn DiskFile>,
    path: PathBuf,
}

/// A lock that was free.
#[derive(Debug)]
pub struct AcquiredLock {
    /// The lock.
    pub lock: WorkTreeLock,
    /// Who had it before, if that one died and may have left processes behind.
    pub leftover: Option<LockOwner>,
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else has it.
    #[error("the work tree is in use{}", described(owner.as_ref()))]
    Held {
        /// Who has it; none if it is just being taken or given back.
        owner: Option<LockOwner>,
        /// The file that is locked.
        path: PathBuf,
    },
    /// Another process writes the journal of this run.
    #[error("run {run} is going on{}", in_brief(owner.as_ref()))]
    GoingOn {
        /// The run.
        run: RunId,
        /// Who has its journal, if that is known.
        owner: Option<LockOwner>,
    },
    /// The lock cannot be used: the directory is read-only, or its file system knows no locks.
    #[error(transparent)]
    Unusable(#[from] FileError),
}

impl WorkTreeLock {
    /// Takes the lock of a work tree.
    pub fn acquire(tree: &WorkTreeDir, owner: &LockOwner) -> Result<AcquiredLock, LockError> {
        files::create_lasting_directories(tree.disk(), tree.path())?;
        let path = tree.lock_file();
        let file =
            files::open_or_create(tree.disk(), &path).map_err(FileError::of("open", &path))?;
        if !is_locked_in_time(&*file).map_err(FileError::of("lock", &path))? {
            return Err(LockError::Held { owner: parse_owner(&path)?, path });
        }
        let before = content(&path)?;
        if let Err(error) = put(&*file, owner.to_json().as_bytes()) {
            // Whoever comes next should hear who may have left something behind, as we did.
            let _ = put(&*file, &before);
            return Err(FileError::of("write", &path)(error).into());
        }
        Ok(AcquiredLock { lock: Self { file, path }, leftover: LockOwner::from_json(&before) })
    }

    /// Gives the lock back. It stays taken as long as a process that was forked off has it too. If one
    /// of those has given it back for all, and somebody else has it by now, nothing is done.
    pub fn release(self) -> Result<(), FileError> {
        if is_taken(&*self.file) {
            return Ok(());
        }
        self.file.set_len(0).map_err(FileError::of("write", &self.path))
    }

    /// Gives the lock back also for processes that were forked off and have it too.
    pub fn release_for_all(self) -> Result<(), FileError> {
        self.file.set_len(0).map_err(FileError::of("write", &self.path))?;
        flock(self.file.as_fd(), FlockOperation::Unlock)
            .map_err(|error| FileError::of("unlock", &self.path)(error.into()))
    }
}

/// For whoever closes all other files and has to keep this one.
impl AsFd for WorkTreeLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// What is shown by those who write: that they hold the lock, or that they know better.
#[derive(Debug)]
pub enum LockProof {
    /// The lock is held.
    Locked(WorkTreeLock),
    /// `--no-lock`: a person said that nothing else is going on.
    Waived,
}

impl LockProof {
    /// Gives the lock back, if there is one.
    pub fn release(self) -> Result<(), FileError> {
        match self {
            Self::Locked(lock) => lock.release(),
            Self::Waived => Ok(()),
        }
    }

    /// Makes sure that the lock is that of the work tree which is written to.
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

/// Whether somebody else has locked a file that we had locked, and that a process which we had it
/// with has given back for all. What is still ours stays so.
pub(crate) fn is_taken(file: &dyn DiskFile) -> bool {
    flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
}

/// Tries to lock a file a few times.
pub(crate) fn is_locked_in_time(file: &dyn DiskFile) -> io::Result<bool> {
    for tries_left in (0..TRIES).rev() {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if tries_left > 0 => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Writes the content of a lock file. There is a name in it at any moment: what is shorter than what
/// was there before is whole before the rest is cut off.
fn put(file: &dyn DiskFile, content: &[u8]) -> io::Result<()> {
    file.write_all_at(content, 0)?;
    file.set_len(content.len() as u64)
}

/// Who a lock file names. One that was cut off names nobody: its owner died before doing anything.
pub(crate) fn parse_owner(path: &Path) -> Result<Option<LockOwner>, FileError> {
    Ok(LockOwner::from_json(&content(path)?))
}

fn content(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(FileError::of("read", path))
}

fn described(owner: Option<&LockOwner>) -> String {
    owner.map(|owner| format!(" by {owner}")).unwrap_or_default()
}

fn in_brief(owner: Option<&LockOwner>) -> String {
    owner.map(|LockOwner { pid, .. }| format!(" (process {pid})")).unwrap_or_default()
}
