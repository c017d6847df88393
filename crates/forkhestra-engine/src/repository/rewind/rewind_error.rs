//! Why a rewind failed.

use std::io;
use std::path::{Path, PathBuf};

use crate::repository::SnapshotReadError;
use crate::repository::git_program::GitError;
use crate::work_tree::WorkTreeError;

/// Why a rewind or its undo failed.
#[derive(Debug, thiserror::Error)]
pub enum RewindError {
    #[error(transparent)]
    Snapshot(#[from] SnapshotReadError),
    #[error("{0}")]
    Git(String),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// Another program changed a file while it was about to be replaced.
    #[error("`{}` was changed at the same time", .0.display())]
    ChangedMeanwhile(PathBuf),
    /// The branch was moved by another process.
    #[error("the branch cannot be moved: {0}")]
    Branch(String),
    /// The rewind failed, and the state before it was restored.
    #[error("{0}; everything is as before")]
    RolledBack(Box<RewindError>),
    /// The rewind failed, and so did the attempt to restore the state before it.
    #[error("{failure}; the state before it could not be restored: {rollback}")]
    RollbackFailed { failure: Box<RewindError>, rollback: Box<RewindError> },
}

impl RewindError {
    /// Adds the path to an error.
    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }
}

impl From<GitError> for RewindError {
    fn from(error: GitError) -> Self {
        Self::Git(error.to_string())
    }
}

impl From<WorkTreeError> for RewindError {
    fn from(error: WorkTreeError) -> Self {
        Self::Git(error.to_string())
    }
}
