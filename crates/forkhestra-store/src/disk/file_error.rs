//! What can go wrong with a file.

use std::io;
use std::path::{Path, PathBuf};

/// Something that could not be done with a file or directory.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// What was tried, as in `read`.
    pub action: &'static str,
    /// With which file.
    pub path: PathBuf,
    /// What came of it.
    #[source]
    pub source: io::Error,
}

impl FileError {
    /// Says what was tried with which file; to be used with `map_err`.
    pub(crate) fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { action, path: path.to_owned(), source }
    }
}

/// For those who only know errors of the system; the text and the kind stay.
impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        Self::new(error.source.kind(), error)
    }
}
