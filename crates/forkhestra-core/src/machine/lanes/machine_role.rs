//! What a machine executes: a run, what runs in one lane of it, or the checks of merged work.

use std::collections::BTreeSet;

use super::lane_machine::LaneRest;
use crate::id::{CommitId, LaneNumber, UnitId};

/// What a machine executes.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::machine) enum MachineRole {
    /// A run, with the stages of its lanes.
    Run,
    /// What runs in one lane, over the state of that lane.
    Lane(Box<LaneRole>),
    /// Checks of merged work.
    MergeQueue,
}

/// The facts of a lane that its machine needs and that a resume finds out again.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::machine) struct LaneRole {
    pub(in crate::machine) number: LaneNumber,
    /// The step whose iterations the lane shares with others; none for a branch of its own.
    pub(in crate::machine) shared_step: Option<usize>,
    /// The last iteration whose work was landed, refused or parked, or that had none.
    pub(in crate::machine) settled: Option<UnitId>,
    /// The last iteration of its work that waits for its landing.
    pub(in crate::machine) queued: Option<UnitId>,
    /// No further iteration may begin.
    pub(in crate::machine) is_held: bool,
    /// The commit of the integration ref.
    pub(in crate::machine) integration: CommitId,
    /// The commit of the integration ref that the lane has.
    pub(in crate::machine) advanced_to: Option<CommitId>,
    /// The work of the lane is parked, so that its branch moves to the integration ref.
    pub(in crate::machine) drops_work: bool,
    /// The directory of the lane.
    pub(in crate::machine) path: String,
    /// Whether it is recorded that the lane can be used.
    pub(in crate::machine) is_recorded: bool,
    /// The number of the iteration that is prepared.
    pub(in crate::machine) reserved: Option<u32>,
    /// The numbers of iterations that other lanes prepare.
    pub(in crate::machine) reserved_elsewhere: BTreeSet<u32>,
    /// Why the lane rests for good once its last work has landed.
    pub(in crate::machine) after_landing: Option<LaneRest>,
    /// Whether it holds work that was refused and not parked, which its next agent repairs.
    pub(in crate::machine) has_refused_work: bool,
    /// It was just found that a task is left for its next agent.
    pub(in crate::machine) takes_task: bool,
    /// For how many agents in other lanes that was found since the lane polled the task database.
    pub(in crate::machine) tasks_taken: usize,
}

impl MachineRole {
    pub(in crate::machine) fn lane(&self) -> Option<&LaneRole> {
        match self {
            Self::Lane(lane) => Some(lane),
            Self::Run | Self::MergeQueue => None,
        }
    }

    pub(in crate::machine) fn lane_mut(&mut self) -> Option<&mut LaneRole> {
        match self {
            Self::Lane(lane) => Some(lane),
            Self::Run | Self::MergeQueue => None,
        }
    }

    /// The lane that the machine executes.
    pub(in crate::machine) fn number(&self) -> Option<LaneNumber> {
        self.lane().map(|lane| lane.number)
    }

    /// Whether the machine shares the iterations of this step with other lanes.
    pub(in crate::machine) fn shares(&self, step: usize) -> bool {
        self.lane().is_some_and(|lane| lane.shared_step == Some(step))
    }
}
