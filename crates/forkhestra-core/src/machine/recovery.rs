//! What is found after a crash, and what becomes of it. This is the whole table; the fold of a
//! `RunResumed` event into the state is what carries it out.

use super::state::run_state::RunState;
use super::state::step_state::StepStatus;
use crate::event::{LimitChanges, RunEnd, StepEnd};
use crate::id::UnitId;

/// What the journal of a run says when somebody comes to resume it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoveryCase {
    /// Every step is complete or skipped, and the journal says so.
    Complete,
    /// Every step is complete or skipped, but we died before the journal said so of the run.
    CompleteUnrecorded,
    /// The run came to an orderly end at this step, without being complete.
    Ended {
        /// The step.
        step: usize,
    },
    /// We died while an agent was at work, or was about to be.
    AgentRunning(UnitId),
    /// We died after an agent was gone, before everything it made had been checked.
    Unchecked(UnitId),
    /// A step had ended without being complete, but we died before the journal said so of the run.
    StepEnded {
        /// The step.
        step: usize,
        /// Whether it ended only because somebody cancelled the run.
        cancelled: bool,
    },
    /// We died between two iterations of a step.
    BetweenIterations {
        /// The step.
        step: usize,
    },
    /// We died before a step.
    BeforeStep {
        /// The step.
        step: usize,
    },
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoveryAction {
    /// Nothing is left to do; the run keeps its end.
    Nothing,
    /// The end of the run is recorded; no agent is started.
    RecordEnd,
    /// The step goes on: what is finished stays finished, a failed agent that runs once is tried
    /// again, and limits that still hold end the step again.
    Reopen {
        /// The step.
        step: usize,
    },
    /// The iteration counts as interrupted. Its number is used again, as a further attempt.
    Repeat(UnitId),
    /// What the agent made is checked again; the agent is not started.
    Check(UnitId),
    /// What the last outcome decides is decided again; it was recorded, so nothing runs twice.
    Decide {
        /// The step.
        step: usize,
    },
    /// The step begins.
    Begin {
        /// The step.
        step: usize,
    },
}

impl RecoveryCase {
    /// Looks at a state as its journal left it.
    pub fn from_state(state: &RunState) -> Self {
        let at_work = state.steps.iter().find_map(|step| step.running);
        match (&state.end, at_work, state.current_step()) {
            (Some(RunEnd::Complete), _, _) => Self::Complete,
            (None, Some(unit), _) => Self::AgentRunning(unit),
            (_, _, None) => Self::CompleteUnrecorded,
            (Some(_), _, Some(step)) => Self::Ended { step },
            (None, None, Some(step)) => match &state.steps[step - 1].status {
                StepStatus::Pending => Self::BeforeStep { step },
                StepStatus::Open => match &state.steps[step - 1].unchecked {
                    Some(unchecked) => Self::Unchecked(unchecked.0),
                    None => Self::BetweenIterations { step },
                },
                StepStatus::Ended(end) => {
                    Self::StepEnded { step, cancelled: *end == StepEnd::Cancelled }
                }
            },
        }
    }

    /// What becomes of it, if these limits are changed.
    pub fn recovery(&self, changes: &LimitChanges) -> RecoveryAction {
        let unchanged = *changes == LimitChanges::default();
        match *self {
            Self::Complete => RecoveryAction::Nothing,
            Self::CompleteUnrecorded => RecoveryAction::RecordEnd,
            Self::Ended { step } => RecoveryAction::Reopen { step },
            Self::StepEnded { cancelled: false, .. } if unchanged => RecoveryAction::RecordEnd,
            Self::StepEnded { step, .. } => RecoveryAction::Reopen { step },
            Self::AgentRunning(unit) => RecoveryAction::Repeat(unit),
            Self::Unchecked(unit) => RecoveryAction::Check(unit),
            Self::BetweenIterations { step } => RecoveryAction::Decide { step },
            Self::BeforeStep { step } => RecoveryAction::Begin { step },
        }
    }
}
