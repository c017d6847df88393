//! What is asked of a move of the user's work tree, and what became of it.

use std::path::PathBuf;

use super::HeldReason;
use crate::repository::merge_queue::{LandingMessage, LandingSignature};

/// A request to bring the user's work tree forward.
#[derive(Debug, Clone)]
pub struct ForwardRequest<'a> {
    /// The integration commit.
    pub commit: &'a str,
    /// The full name of the branch with which the run began.
    pub branch: &'a str,
    /// Files and directories, relative to the top, whose files in the work tree are the truth, such as
    /// the task database. They are never written; only the index gets what has landed.
    pub live_paths: &'a [PathBuf],
    /// For the merge commit, if the user has committed meanwhile.
    pub message: LandingMessage,
    pub signature: LandingSignature,
}

/// What became of the user's work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForwardOutcome {
    /// The branch contains the integration commit already.
    UpToDate,
    Moved {
        from: String,
        /// The integration commit, or a merge of it and of what the user has committed.
        to: String,
        /// The number of files that were written or removed.
        files: usize,
    },
    /// Nothing was changed.
    Held { reasons: Vec<HeldReason> },
}

impl ForwardOutcome {
    /// All paths that are in the way.
    pub fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Held { reasons } => {
                let paths = reasons.iter().flat_map(HeldReason::paths);
                let mut paths: Vec<PathBuf> = paths.cloned().collect();
                paths.sort();
                paths.dedup();
                paths
            }
            Self::UpToDate | Self::Moved { .. } => Vec::new(),
        }
    }
}
