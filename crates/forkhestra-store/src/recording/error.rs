//! The errors of recordings.

use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;

use crate::disk::file_error::FileError;

/// Why a directory cannot be used as a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The recording is missing, damaged or of an unsupported version.
    #[error("{0}")]
    Unusable(String),
    /// The target directory of a new recording is not empty.
    #[error("{} is not empty, and no recording", .0.display())]
    InTheWay(PathBuf),
    /// The target directory of a new recording holds another one.
    #[error("{} already holds the recording of run {run}", directory.display())]
    AlreadyThere { directory: PathBuf, run: RunId },
    #[error(transparent)]
    File(#[from] FileError),
}

impl RecordingError {
    /// The error for a file with wrong content.
    pub(super) fn damaged(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::Unusable(format!("{} is damaged: {why}", path.display()))
    }
}
