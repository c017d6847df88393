//! What can be wrong with a directory of tasks.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::TasksConfigError;
use super::files::compare_and_swap::SwapError;
use crate::document::BrokenTask;

/// Why the database cannot be used. Each is one line that names the file.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The system refused something.
    #[error("cannot {action} {}: {why}", path.display())]
    Io {
        /// What was tried, as in `read`.
        action: &'static str,
        /// With which file or directory.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// Something that should be a directory is none.
    #[error("{} {why}", path.display())]
    NotAFolder {
        /// Which directory.
        path: PathBuf,
        /// What it is, as the end of a sentence that begins with its path.
        why: &'static str,
    },
    /// `config.json` cannot be read.
    #[error("{}{why}", path.display())]
    Config {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        why: TasksConfigError,
    },
    /// What was to be written to `config.json` could not be read again.
    #[error("{} stays as it is, as the new one would be damaged: {what}", path.display())]
    WouldBeDamaged {
        /// Where it is.
        path: PathBuf,
        /// What would be wrong with it.
        what: String,
    },
    /// There are no numbers left that an id can have.
    #[error("{} has no numbers left: the last one was {last}", path.display())]
    NoNumbersLeft {
        /// The directory of tasks.
        path: PathBuf,
        /// The last number that was given.
        last: u64,
    },
    /// There is a `config.json` already.
    #[error("{} is there already; --force changes it", path.display())]
    ConfigExists {
        /// Where it is.
        path: PathBuf,
    },
    /// Another process holds the lock.
    #[error(
        "another process has been writing to {} for {} s; see who with `fuser {0}`",
        path.display(), waited.as_secs()
    )]
    Locked {
        /// The directory of tasks.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The file system knows no locks, so nothing would keep two writers apart.
    #[error("cannot lock {}: {why}; its file system must support flock", path.display())]
    NoLocks {
        /// The directory of tasks.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// The file of a new task is there already.
    #[error("{} is there already", path.display())]
    Taken {
        /// Where it is.
        path: PathBuf,
    },
    /// Another process changed or removed a file after it was read. A retry helps.
    #[error("{} was changed by another process in the meantime; try again", path.display())]
    Changed {
        /// Where it is or was.
        path: PathBuf,
    },
    /// It is done, but the system could not be made to put it on the disk.
    #[error("{} is {done}, but that may not survive a power failure: {why}", path.display())]
    MayNotLast {
        /// Which file.
        path: PathBuf,
        /// What was done with it, as in `written`.
        done: &'static str,
        /// What the system said.
        why: io::Error,
    },
    /// It is done, but the directory is no longer where it was.
    #[error(
        "{} was moved to another place while it was written to; the change is there",
        path.display()
    )]
    Moved {
        /// Where the directory of tasks was.
        path: PathBuf,
    },
    /// What was to be written is not a task.
    #[error("the task for {}: {why}", path.display())]
    NotATask {
        /// The directory of tasks.
        path: PathBuf,
        /// What is wrong with it.
        why: BrokenTask,
    },
}

impl DatabaseError {
    /// Says what was tried with which file; to be used with `map_err`.
    pub(super) fn of<E: Into<io::Error>>(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> Self {
        move |why| Self::Io { action, path: path.to_owned(), why: why.into() }
    }

    /// Says that a file is as it was, and why.
    pub(super) fn unplaced(action: &'static str, path: &Path, why: SwapError) -> Self {
        let path = path.to_owned();
        match why {
            SwapError::Changed => Self::Changed { path },
            SwapError::Refused(why) => Self::Io { action, path, why },
        }
    }

    /// Says what was done, though it may not last; to be used with `map_err`.
    pub(super) fn may_not_last(done: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |why| Self::MayNotLast { path: path.to_owned(), done, why }
    }
}
