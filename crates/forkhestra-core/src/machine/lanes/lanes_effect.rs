//! What the engine does for lanes and their merge queue.

use crate::event::LaneWork;
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::time::Timestamp;

/// A place other than the user's work tree in which an effect is performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Workplace {
    /// The clone of a lane.
    Lane(LaneNumber),
    /// The check-out of merged work, for landing checks.
    MergeQueue,
}

/// An action for lanes as a whole. Each is answered by the [`LanesInput`](super::lanes_input::LanesInput) of
/// a similar name, except for those that the machine does not wait for.
#[derive(Debug, Clone, PartialEq)]
pub enum LanesEffect {
    /// Make the integration ref, or compare it with what is recorded. Answered by
    /// `IntegrationBegun` or `IntegrationFailed`.
    BeginIntegration {
        /// The first step of the stage.
        step: usize,
        /// The recorded commit; none if the ref is to be made.
        expected: Option<ExpectedIntegration>,
    },
    /// Make a lane, or use its directory again; answered by `LaneOpened` or `LaneNotOpened`.
    OpenLane {
        lane: LaneNumber,
        /// The first step that runs in it.
        step: usize,
        /// The commit that a new lane begins with.
        commit: CommitId,
    },
    /// Give a lane the integration ref, and move its branch there if it has no work that has not
    /// landed; answered by `LaneAdvanced`.
    AdvanceLane {
        lane: LaneNumber,
        to: CommitId,
        /// Whether its work is parked, so that its branch moves in any case.
        drops: bool,
    },
    /// Fetch the commits of a lane that the integration ref does not have; answered by `WorkFetched`.
    FetchWork { lane: LaneNumber, unit: UnitId },
    /// Merge work, each onto the one before; answered by `WorkMerged`.
    MergeWork { onto: CommitId, work: Vec<WorkToMerge> },
    /// Check a commit out at [`Workplace::MergeQueue`]; answered by `CheckedOut`.
    CheckOut { commit: CommitId },
    /// Move the integration ref; answered by `IntegrationMoved`.
    MoveIntegration {
        from: CommitId,
        to: CommitId,
        /// The tasks that land, with their lanes.
        tasks: Vec<(LaneNumber, Vec<String>)>,
    },
    /// Give tasks back to a lane whose work was refused, so that its next agent has them again. The machine
    /// does not wait for it.
    ReturnTasks { lane: LaneNumber, unit: UnitId, tasks: Vec<String> },
    /// Bring the user's work tree to the integration ref; answered by `BroughtForward` or `Held`.
    BringForward { to: CommitId },
    /// Keep work under a ref of its own and block its tasks. The machine does not wait for it. A
    /// resumed run repeats it. It must be done before the lane is advanced or closed.
    ParkWork { lane: LaneNumber, unit: UnitId, number: u32, commit: CommitId, tasks: Vec<String> },
    /// Remove the lanes that hold nothing. The machine does not wait for it. A resumed run repeats it.
    CloseLanes,
}

/// Work that is to be merged.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkToMerge {
    pub lane: LaneNumber,
    pub unit: UnitId,
    pub work: LaneWork,
    /// The time of its merge commit, so that a repeated merge makes the same commit.
    pub at: Timestamp,
}

/// The recorded commit of the integration ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedIntegration {
    pub commit: CommitId,
    /// The commit before the last landing, which the ref still has if the process was killed before it
    /// was moved.
    pub before: Option<CommitId>,
    /// The tasks of that landing, with their lanes. They may not have been marked yet either.
    pub tasks: Vec<(LaneNumber, Vec<String>)>,
}
