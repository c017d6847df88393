//! Why an operation of the merge queue failed.

use std::io;
use std::path::{Path, PathBuf};

use crate::repository::git_program::GitError;
use crate::repository::{RewindError, SnapshotReadError};

/// Why an operation of the merge queue failed. Nothing was changed then, except that new objects of git
/// may exist.
#[derive(Debug, thiserror::Error)]
pub enum MergeQueueError {
    #[error(transparent)]
    Repository(#[from] SnapshotReadError),
    #[error("a merge queue needs git 2.38 or newer, and this is {0}: install a newer git")]
    OldGit(String),
    #[error("{0}")]
    Git(String),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("`{0}` is not a commit of this repository")]
    NoCommit(String),
    #[error("the commits of lane {lane} cannot be fetched: {why}")]
    Lane { lane: u32, why: String },
    /// A path of an overlay is absolute, leaves the repository, or belongs to git.
    #[error("`{}` cannot be added to a landing: it must be a path inside the repository", .0.display())]
    OverlayPath(PathBuf),
    #[error(transparent)]
    WorkTree(#[from] RewindError),
}

impl MergeQueueError {
    /// Adds the path to an error.
    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }
}

impl From<GitError> for MergeQueueError {
    fn from(error: GitError) -> Self {
        Self::Git(error.to_string())
    }
}
