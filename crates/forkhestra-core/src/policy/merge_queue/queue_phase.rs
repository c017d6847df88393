//! What a merge queue waits for.

use super::QueueEntry;
use crate::id::CommitId;

/// What a merge queue waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum QueuePhase {
    /// Entries.
    #[default]
    Idle,
    /// The merges of the entries, the first one onto a commit.
    Merging { onto: CommitId, entries: Vec<QueueEntry> },
    /// The results of the checks on a commit.
    Checking { tip: CommitId },
    /// The move of the integration ref to a commit that contains the entries.
    Landing { tip: CommitId, entries: Vec<QueueEntry> },
    /// A request to check again: there is no verdict on a commit.
    Stopped { tip: CommitId },
}
