//! What a merge queue asks for.

use super::QueueEntry;
use crate::id::CommitId;

/// What is to be done for a merge queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueAction {
    /// Merge each entry onto the one before it that did merge, the first one onto `onto`. Answered by
    /// [`Merged`](super::QueueInput::Merged).
    Merge { onto: CommitId, entries: Vec<QueueEntry> },
    /// Run the checks on the tip, which contains the entries. Answered by
    /// [`Checked`](super::QueueInput::Checked).
    Check { tip: CommitId, entries: Vec<QueueEntry> },
    /// Record that the entries have landed and move the integration ref to the tip. The tip is the
    /// integration commit itself if that contains the entries already. Answered by
    /// [`Landed`](super::QueueInput::Landed).
    Land { tip: CommitId, entries: Vec<QueueEntry> },
    /// Give the entry back to its lane.
    Refuse { entry: QueueEntry, why: QueueRefusal },
    /// Report that these checks gave no verdict on the tip. Nothing lands and nothing is refused until
    /// [`CheckAgain`](super::QueueInput::CheckAgain).
    Stop { tip: CommitId, entries: Vec<QueueEntry>, not_run: Vec<usize> },
}

/// Why an entry is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueRefusal {
    /// It cannot be merged with work that the integration commit contains.
    Conflict { integration: CommitId, paths: Vec<String> },
    /// Merged with the integration commit, it turns these green checks red.
    RedChecks { integration: CommitId, tip: CommitId, checks: Vec<usize> },
}
