//! Errors of capturing changes or making them again.

use std::path::PathBuf;

use forkhestra_core::text::count;

use crate::repository::git_program::GitError;
use crate::work_tree::WorkTreeError;

/// Why changes cannot be captured or made again.
#[derive(Debug, thiserror::Error)]
pub enum EffectsError {
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// The work tree has other files than the recorded one.
    #[error("the recording does not fit: the work tree is {found}, and was {expected} when it was recorded{}", differing(files, *more))]
    OtherTree {
        expected: String,
        found: String,
        /// The first files that differ, if they are known.
        files: Vec<String>,
        more: usize,
    },
    /// The recorded changes cannot be made in this repository.
    #[error("the recorded changes do not fit: {0}")]
    DoNotFit(String),
    /// Another git process has the index or the branch locked.
    #[error("{} exists: another git process uses the repository, or one that crashed left the file", .0.display())]
    Locked(PathBuf),
    #[error("the result is not needed any more")]
    Over,
    #[error("{0}")]
    Git(String),
}

impl From<GitError> for EffectsError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Over => Self::Over,
            error => Self::Git(error.to_string()),
        }
    }
}

impl From<WorkTreeError> for EffectsError {
    fn from(error: WorkTreeError) -> Self {
        if error.is_over() { Self::Over } else { Self::Git(error.to_string()) }
    }
}

impl From<std::io::Error> for EffectsError {
    fn from(error: std::io::Error) -> Self {
        Self::Git(error.to_string())
    }
}

fn differing(files: &[String], more: usize) -> String {
    if files.is_empty() {
        return String::new();
    }
    let all = files.len() + more;
    let ending = if more > 0 { ", …" } else { "" };
    format!("; the difference is in {}: {}{ending}", count(all, "file"), files.join(", "))
}
