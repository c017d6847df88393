//! The errors of a directory of tasks.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::TasksConfigError;
use super::files::compare_and_swap::SwapError;

/// Why the database cannot be used. Each is one line that names the file.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The system refused something.
    #[error("cannot {action} {}: {why}", path.display())]
    Io {
        /// A verb such as `read`.
        action: &'static str,
        /// With which file or directory.
        path: PathBuf,
        why: io::Error,
    },
    /// A path should be a directory but is not.
    #[error("{} {why}", path.display())]
    NotAFolder {
        path: PathBuf,
        /// The end of a sentence that begins with the path.
        why: &'static str,
    },
    /// `config.json` cannot be read.
    #[error("{}{why}", path.display())]
    Config { path: PathBuf, why: TasksConfigError },
    /// There is a `config.json` already.
    #[error("{} already exists; --force changes it", path.display())]
    ConfigExists { path: PathBuf },
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
    /// The file of a new task is there already.
    #[error("{} already exists", path.display())]
    Taken { path: PathBuf },
    /// Another process changed or removed a file after it was read. A retry helps.
    #[error("{} was changed by another process in the meantime; try again", path.display())]
    Changed {
        /// Where it is or was.
        path: PathBuf,
    },
    /// It is done, but the system could not be made to put it on the disk.
    #[error("{} is {done}, but that may not survive a power failure: {why}", path.display())]
    MayNotLast {
        path: PathBuf,
        /// A participle such as `written`.
        done: &'static str,
        why: io::Error,
    },
    /// It cannot be done; the reason, in a line.
    #[error("{0}")]
    Refused(String),
}

impl DatabaseError {
    /// Adds the action and the path to an error; for use with `map_err`.
    pub(super) fn of<E: Into<io::Error>>(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> Self {
        move |why| Self::Io { action, path: path.to_owned(), why: why.into() }
    }

    /// No number is left for an id.
    pub(crate) fn no_numbers_left(path: &Path, last: u64) -> Self {
        Self::Refused(format!("{} has no numbers left: the last one was {last}", path.display()))
    }

    /// Says that a file is as it was, and why.
    pub(super) fn unplaced(action: &'static str, path: &Path, why: SwapError) -> Self {
        let path = path.to_owned();
        match why {
            SwapError::Changed => Self::Changed { path },
            SwapError::Refused(why) => Self::Io { action, path, why },
        }
    }

    /// Describes a change that was made but may not be durable; for use with `map_err`.
    pub(super) fn may_not_last(done: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |why| Self::MayNotLast { path: path.to_owned(), done, why }
    }
}
