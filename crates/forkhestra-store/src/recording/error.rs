//! What can be wrong with a recording.

use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;

use crate::disk::file_error::FileError;

/// Why a directory cannot be used as a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It is no recording that this program can play.
    #[error("{0}")]
    Unusable(String),
    /// A new recording would be written where something else is.
    #[error("{} is not empty, and no recording", .0.display())]
    InTheWay(PathBuf),
    /// A new recording would be written where another one is.
    #[error("{} already holds the recording of run {run}", directory.display())]
    AlreadyThere {
        /// The directory.
        directory: PathBuf,
        /// The run that was recorded.
        run: RunId,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl RecordingError {
    /// A file of a recording has the wrong content.
    pub(super) fn damaged(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::Unusable(format!("{} is damaged: {why}", path.display()))
    }
}
