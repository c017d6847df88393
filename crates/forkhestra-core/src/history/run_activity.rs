//! What a run is doing.

use std::time::Duration;

use super::RunHistory;
use crate::event::{AuxJob, Event, EventKind, WaitCause};
use crate::id::UnitId;
use crate::time::Timestamp;

/// What a run is doing, paused or not. Durations are on the run's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunActivity {
    /// Nothing that takes time.
    #[default]
    Idle,
    AgentRunning {
        unit: UnitId,
        since: Duration,
    },
    /// An agent has finished and its work is being judged. No aux job runs.
    Judging {
        unit: UnitId,
        since: Duration,
    },
    /// A check, a hook or the setup of a clean room runs.
    AuxJobRunning {
        job: AuxJob,
        since: Duration,
    },
    /// The next iteration waits because the last ones crashed.
    BackingOff {
        step: usize,
        crashes: u32,
        until: Duration,
    },
    /// The next iteration waits for the agent's provider or account.
    WaitingForProvider {
        step: usize,
        why: WaitCause,
        until: Timestamp,
    },
    /// A person is asked.
    Asking {
        step: usize,
        since: Timestamp,
    },
}

impl RunActivity {
    /// Folds an event.
    pub fn apply(&mut self, event: &Event) {
        let since = event.elapsed;
        *self = match &event.kind {
            EventKind::IterationStarted { unit, .. } => Self::AgentRunning { unit: *unit, since },
            EventKind::AgentFinished { unit, .. } | EventKind::CheckFinished { unit, .. } => {
                Self::Judging { unit: *unit, since }
            }
            EventKind::AuxJobStarted { aux_job, .. } => {
                Self::AuxJobRunning { job: *aux_job, since }
            }
            EventKind::BackingOff { step, crashes, delay } => {
                Self::BackingOff { step: *step, crashes: *crashes, until: since + *delay }
            }
            EventKind::Waiting { step, why, until } => {
                Self::WaitingForProvider { step: *step, why: *why, until: *until }
            }
            EventKind::Asked { step, .. } => Self::Asking { step: *step, since: event.at },
            EventKind::IterationFinished { .. }
            | EventKind::Answered { .. }
            | EventKind::RoundChecked { .. }
            | EventKind::ConditionChecked { .. }
            | EventKind::HookFinished { .. }
            | EventKind::Calibrated { .. }
            | EventKind::StepFinished { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunResumed { .. } => Self::Idle,
            _ => return,
        };
    }

    /// The iteration that the activity belongs to.
    pub const fn unit(self) -> Option<UnitId> {
        match self {
            Self::AgentRunning { unit, .. } | Self::Judging { unit, .. } => Some(unit),
            Self::AuxJobRunning { job, .. } => job.scope().unit(),
            Self::Idle
            | Self::BackingOff { .. }
            | Self::WaitingForProvider { .. }
            | Self::Asking { .. } => None,
        }
    }
}

impl RunHistory {
    /// Whether the clock of a live run is paused: it is paused, or asks a question and runs no
    /// hook.
    pub fn is_clock_paused(&self) -> bool {
        let has_job = matches!(self.activity, RunActivity::AuxJobRunning { .. });
        self.steering.paused.is_some() || !has_job && self.state.open_question().is_some()
    }
}
