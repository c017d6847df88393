//! What a recorded run was doing, as far as limits can end it.

use std::cmp::Reverse;
use std::time::Duration;

use crate::event::{AuxJob, CompletionSignal, Event, EventKind, StopReason};
use crate::id::UnitId;
use crate::machine::RunState;
use crate::machine::agent::running_agent::timeout_at;

/// What a recorded run was doing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum RecordedActivity {
    /// Nothing that a limit ends at a certain time.
    #[default]
    Other,
    /// An agent was running, and was not being terminated.
    AgentRunning { unit: UnitId, claim: Option<CompletionSignal> },
    /// The next iteration was waited for.
    Waiting { step: usize },
}

impl RecordedActivity {
    /// Applies an event.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::IterationStarted { unit, .. } => {
                *self = Self::AgentRunning { unit: *unit, claim: None };
            }
            EventKind::BackingOff { step, .. } | EventKind::Waiting { step, .. } => {
                *self = Self::Waiting { step: *step };
            }
            EventKind::CompletionRequested { by, .. } => {
                if let Self::AgentRunning { claim, .. } = self {
                    *claim = Some(by.clone());
                }
            }
            EventKind::AgentEnding { .. }
            | EventKind::AgentFinished { .. }
            | EventKind::IterationFinished { .. }
            | EventKind::StepFinished { .. }
            | EventKind::RunResumed { .. }
            | EventKind::Cancelled { .. } => *self = Self::Other,
            _ => {}
        }
    }

    /// The first limit of time that the run had reached when the event happened, and when.
    pub(super) fn reached_time_limit(
        &self,
        state: &RunState,
        event: &Event,
    ) -> Option<(Duration, StopReason)> {
        let at = event.elapsed;
        let due = match self {
            Self::AgentRunning { unit, .. } => {
                self.first_deadline(state, unit.step).filter(|(until, _)| *until < at)
            }
            Self::Waiting { step } => {
                self.first_deadline(state, *step).filter(|(until, _)| *until <= at)
            }
            Self::Other => {
                let unit = checked_unit(event)?;
                self.first_deadline(state, unit.step).filter(|(until, _)| *until < at)
            }
        };
        // A step that was open all the time may have used up its time before.
        due.map(|(until, why)| (until.max(state.elapsed), why))
    }

    /// The first limit of time of the running agent, unless it is being terminated.
    pub(super) fn deadline_of_agent(&self, state: &RunState) -> Option<Duration> {
        let Self::AgentRunning { unit, .. } = self else { return None };
        self.first_deadline(state, unit.step).map(|(until, _)| until)
    }

    /// The first limit of time on the run's clock. The strongest reason is first among equals, as in
    /// the machine.
    fn first_deadline(&self, state: &RunState, step: usize) -> Option<(Duration, StopReason)> {
        let timeout = match self {
            Self::AgentRunning { .. } => {
                let at = timeout_at(state.plan.step(step)?, state.step(step)?.started);
                at.map(|at| (at, StopReason::Timeout))
            }
            Self::Waiting { .. } | Self::Other => None,
        };
        let limits = state.limit_deadlines(step).chain(timeout);
        limits.min_by_key(|(at, why)| (*at, Reverse(*why)))
    }
}

/// The iteration whose work is being checked: limits of time end its checks.
const fn checked_unit(event: &Event) -> Option<UnitId> {
    match &event.kind {
        EventKind::CheckFinished { unit, .. }
        | EventKind::AuxJobStarted {
            aux_job: AuxJob::Check { unit, .. } | AuxJob::Setup { unit },
            ..
        } if !unit.is_before_first() => Some(*unit),
        _ => None,
    }
}
