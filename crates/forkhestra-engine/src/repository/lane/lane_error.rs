//! Why a lane cannot be made or used.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use crate::repository::git_program::GitError;

/// A disk with less space than this is full for git.
const MIN_FREE_BYTES: u64 = 1 << 20;

/// Why a lane cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    #[error("lanes need git, and git is not installed")]
    NoGit,
    #[error("lanes need git 2.38 or later, and this is git {0}: install a later one")]
    OldGit(String),
    #[error("{} is not in a git repository, and lanes are clones of one: run `git init` and commit", .0.display())]
    NoRepository(PathBuf),
    #[error("{} is in a bare repository, and lanes need one with a work tree: clone it", .0.display())]
    Bare(PathBuf),
    #[error("{0} is set, so that git would not find the lane: unset it")]
    LocationOverride(&'static str),
    #[error("there is no commit yet, and a lane begins with what is committed: commit first")]
    NoCommit,
    #[error("the commit {0} is not in the repository")]
    UnknownCommit(String),
    #[error("{} exists already and is not empty: move it away", .0.display())]
    Occupied(PathBuf),
    #[error("{} is no lane any more ({why}): move it away, and a new one is made", .path.display())]
    Damaged { path: PathBuf, why: &'static str },
    #[error("the disk of {} is full ({why}): make room, or use fewer lanes", .path.display())]
    DiskFull { path: PathBuf, why: String },
    #[error("`{0}` cannot be kept: it must be a path inside the work tree, without `..`")]
    NotInside(String),
    #[error("no 10 consecutive ports from {first} to {last} are free: end what listens there")]
    NoPorts { first: u16, last: u16 },
    #[error("it was interrupted")]
    Cancelled,
    #[error("{0}")]
    Git(String),
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
}

impl From<GitError> for LaneError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Over => Self::Cancelled,
            error => Self::Git(error.to_string()),
        }
    }
}

impl LaneError {
    /// Names the disk as the reason if it has no space left. Git does not say so in every case.
    pub(super) fn with_disk(self, directory: &Path) -> Self {
        let is_full = match &self {
            Self::Git(_) => free_bytes(directory).is_some_and(|free| free < MIN_FREE_BYTES),
            Self::File { error, .. } => {
                matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            _ => false,
        };
        match is_full {
            true => Self::DiskFull { path: directory.to_owned(), why: self.to_string() },
            false => self,
        }
    }
}

fn free_bytes(directory: &Path) -> Option<u64> {
    let place = directory.ancestors().find(|place| place.exists())?;
    let found = statvfs(place).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// The error for a file.
pub(super) fn file(path: &Path) -> impl Fn(io::Error) -> LaneError {
    let path = path.to_owned();
    move |error| LaneError::File { path: path.clone(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_as_the_reason() {
        let place = Path::new("/");
        let full = file(Path::new("/a"))(io::ErrorKind::StorageFull.into()).with_disk(place);
        let text = full.to_string();
        assert!(text.starts_with("the disk of / is full (/a: no storage space):"), "{text}");
        let other = file(Path::new("/a"))(io::ErrorKind::NotFound.into()).with_disk(place);
        assert!(matches!(other, LaneError::File { .. }), "{other}");
    }
}
