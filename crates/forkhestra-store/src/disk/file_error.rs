//! The error of a file operation.

use std::io;
use std::path::{Path, PathBuf};

/// A failed operation on a file or directory.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// A verb such as `read`.
    pub action: &'static str,
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl FileError {
    /// Adds the action and the path to an error; for use with `map_err`.
    pub(crate) fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { action, path: path.to_owned(), source }
    }
}

/// Maps a missing file to `None`.
pub(crate) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// For callers that only handle [`io::Error`]. The text and the kind are kept.
impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        Self::new(error.source.kind(), error)
    }
}
