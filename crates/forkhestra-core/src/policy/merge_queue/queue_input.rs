//! What happens to a merge queue.

use super::{CheckResults, QueueEntry};
use crate::id::{CommitId, LaneNumber};

/// What happens to a merge queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueInput {
    /// A lane has work to land.
    Enqueue(QueueEntry),
    /// The results of [`Merge`](super::QueueAction::Merge), in the order of its entries. Entries
    /// behind the last result are merged anew.
    Merged { results: Vec<MergeResult> },
    /// The results of the checks on a commit. A check that is missing was not run.
    Checked { tip: CommitId, results: CheckResults },
    /// The integration ref was moved to this commit, durably.
    Landed { tip: CommitId },
    /// The lane has ended, or its work is parked. Work that is landing lands nevertheless.
    Withdraw { lane: LaneNumber },
    /// The known results of the checks on the integration commit. Results on another commit are too
    /// late and are not taken.
    CheckBaseline { commit: CommitId, results: CheckResults },
    /// Landing goes on after [`Stop`](super::QueueAction::Stop).
    CheckAgain,
}

/// The result of the merge of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeResult {
    /// The commit that contains the entry and everything before it.
    Merged { tip: CommitId },
    /// The entry cannot be merged: both sides changed these paths.
    Conflict { paths: Vec<String> },
    /// The commit before it contains the entry.
    AlreadyContained,
}
