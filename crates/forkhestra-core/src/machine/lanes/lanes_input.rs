//! What the engine reports about lanes and their merge queue.

use crate::event::{LandingRefusalKind, LaneWork, PathList};
use crate::id::{CommitId, LaneNumber, UnitId};

/// The answer to a [`LanesEffect`](super::lanes_effect::LanesEffect).
#[derive(Debug, Clone, PartialEq)]
pub enum LanesInput {
    /// The integration ref has this commit.
    IntegrationBegun { commit: CommitId },
    /// The integration ref could not be made, or has another commit than recorded.
    IntegrationFailed { why: String },
    /// The directory of a lane can be used.
    LaneOpened {
        lane: LaneNumber,
        path: String,
        /// Whether it was made anew, so that its set-up runs.
        is_new: bool,
    },
    /// The directory of a lane cannot be made.
    LaneNotOpened { lane: LaneNumber, why: String },
    /// The lane has the integration ref. Uncommitted changes in the way may have kept its branch.
    LaneAdvanced {
        lane: LaneNumber,
        to: CommitId,
        /// Why git could not do it.
        failure: Option<String>,
    },
    /// Parked work could not be kept under its ref, or its tasks could not be blocked.
    NotParked { number: u32, why: String },
    /// Tasks could not be given back to a lane.
    TasksNotReturned { lane: LaneNumber, why: String },
    /// The work of a lane is fetched; none if there is none.
    WorkFetched { lane: LaneNumber, unit: UnitId, work: Result<Option<LaneWork>, String> },
    /// The results of merges, in order.
    WorkMerged { onto: CommitId, results: Result<Vec<MergedWork>, String> },
    /// The commit is checked out, or why it could not be.
    CheckedOut { commit: CommitId, failure: Option<String> },
    /// The integration ref has the commit, or why it was not moved.
    IntegrationMoved { to: CommitId, failure: Option<String> },
    /// The user's work tree has the commit of the integration ref.
    BroughtForward { to: CommitId },
    /// The user's work tree could not be brought forward, and is as before.
    Held { to: CommitId, why: String, paths: PathList },
}

/// The result of one merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergedWork {
    /// The commit that has the work and everything before it.
    Merged { commit: CommitId },
    /// The commit before has the work already.
    AlreadyContained,
    /// It cannot be merged.
    Refused {
        why: LandingRefusalKind,
        /// All files in conflict.
        paths: Vec<String>,
        /// The iterations that changed them, as far as their work is in the commit before.
        with: Vec<UnitId>,
    },
}
