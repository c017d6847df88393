//! The recovery table: what a resumed run finds after a crash, and what it does. Folding a
//! `RunResumed` event into the state carries it out.

use super::state::run_state::RunState;
use super::state::step_state::StepStatus;
use crate::event::{LimitChanges, RunEnd, StepEnd};
use crate::id::UnitId;

/// What the journal of a run shows when the run is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecoveryCase {
    /// Every step is complete or skipped, and the run's end is recorded.
    Complete,
    /// Every step is complete or skipped, but the process died before the run's end was recorded.
    CompleteUnrecorded,
    /// The run ended in order at this step, without being complete.
    Ended { step: usize },
    /// The process died while an agent ran or was about to be started.
    AgentRunning(UnitId),
    /// The process died after an agent had finished, before its work was checked.
    Unchecked(UnitId),
    /// A step had ended without being complete, but the process died before the run's end was
    /// recorded.
    StepEnded {
        step: usize,
        /// Whether it ended only because the run was cancelled.
        cancelled: bool,
    },
    /// The process died between two iterations of a step.
    BetweenIterations { step: usize },
    /// The process died before a step.
    BeforeStep { step: usize },
    /// A round of a group is to be judged, or the next one is to begin.
    BetweenRounds,
}

/// What resuming does in a [`RecoveryCase`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecoveryAction {
    /// Nothing is left to do; the run keeps its end.
    Nothing,
    /// Record the end of the run; start no agent.
    RecordEnd,
    /// Go on with the step: finished iterations stay finished, a failed agent of a step that runs
    /// once is retried, and limits that still hold end the step again.
    Reopen {
        step: usize,
    },
    /// Count the attempt as interrupted. Its iteration number is used again, with a further
    /// attempt.
    Repeat(UnitId),
    /// Check the agent's work again; do not start the agent.
    Check(UnitId),
    /// Repeat the decision about the last recorded outcome; nothing runs twice.
    Decide {
        step: usize,
    },
    Begin {
        step: usize,
    },
    /// Record the refusal of a round, or begin the next one.
    BeginRound,
}

impl RecoveryCase {
    /// Classifies a state that was folded from a journal.
    pub(crate) fn from_state(state: &RunState) -> Self {
        let at_work = state.steps.iter().find_map(|step| step.running);
        match (&state.end, at_work, state.current_step()) {
            (Some(RunEnd::Complete), _, _) => Self::Complete,
            (None, Some(unit), _) => Self::AgentRunning(unit),
            (_, _, None) => Self::CompleteUnrecorded,
            _ if state.is_between_rounds() => Self::BetweenRounds,
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

    /// The recovery action, given the changed limits.
    pub(crate) fn recovery(&self, changes: &LimitChanges) -> RecoveryAction {
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
            Self::BetweenRounds => RecoveryAction::BeginRound,
        }
    }
}
