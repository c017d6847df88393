//! Current activity of a run, from events, in addition to its history.

use forkhestra_core::event::{AuxJob, CancelCause, Event, EventKind, StopReason};
use forkhestra_core::time::Timestamp;

/// Current activity of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunActivity {
    pub(crate) cancelled: Option<CancelCause>,
    /// Whether the current step is to be skipped.
    pub(crate) skips: bool,
    /// Why the running agent is being stopped.
    pub(crate) ending: Option<StopReason>,
    /// The running aux job and its start.
    pub(crate) aux_job: Option<(AuxJob, Timestamp)>,
}

impl RunActivity {
    /// Applies an event.
    pub(crate) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::RunStarted { .. }
            | EventKind::RunResumed { .. }
            | EventKind::RunFinished { .. } => *self = Self::default(),
            EventKind::IterationStarted { .. } | EventKind::IterationFinished { .. } => {
                (self.aux_job, self.ending) = (None, None);
            }
            EventKind::AgentEnding { why, .. } => self.ending = Some(*why),
            EventKind::AgentFinished { .. } => self.ending = None,
            EventKind::ErrandStarted { errand, .. } => self.aux_job = Some((*errand, event.at)),
            EventKind::CheckFinished { .. } | EventKind::HookFinished { .. } => self.aux_job = None,
            EventKind::StepStarted { .. } | EventKind::StepFinished { .. } => self.skips = false,
            EventKind::SkipRequested { .. } => self.skips = true,
            EventKind::Cancelled { by } => self.cancelled = Some(*by),
            _ => {}
        }
    }
}
