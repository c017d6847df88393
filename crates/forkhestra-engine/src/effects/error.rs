//! What can go wrong with effects.

use std::path::PathBuf;

use forkhestra_core::words::count;

use crate::git::GitError;
use crate::work_tree::Unknown;

/// Why effects cannot be seen or applied. Nothing has been changed then.
#[derive(Debug, thiserror::Error)]
pub enum EffectsError {
    /// There is no repository.
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// The work tree is not the one in which they happened.
    #[error("the work tree is {found}, and was {expected} when it was recorded{}", differing(files, *more))]
    OtherTree {
        /// The tree it should be.
        expected: String,
        /// The tree it is.
        found: String,
        /// The first files that differ, if anybody can tell.
        files: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// They are not what they say of themselves.
    #[error("the recorded effects do not fit: {0}")]
    DoNotFit(String),
    /// A file that git ignores would be written over.
    #[error("{0} is in the way: it is here, and git ignores it")]
    InTheWay(String),
    /// The run is over, and nobody wants to know.
    #[error("the result is not needed any more")]
    Over,
    /// Git does not do it.
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

impl From<Unknown> for EffectsError {
    fn from(error: Unknown) -> Self {
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
