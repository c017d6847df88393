//! What goes on in a run right now, as its events tell, beside what its history knows.

use forkhestra_core::event::{AuxJob, CancelCause, Event, EventKind, StopReason};
use forkhestra_core::time::Timestamp;

/// What goes on in a run right now.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunActivity {
    /// Who or what ends it.
    pub(crate) cancelled: Option<CancelCause>,
    /// Whether the step at work is to be left.
    pub(crate) skips: bool,
    /// Why the agent at work is being ended.
    pub(crate) ending: Option<StopReason>,
    /// What is at work beside the agents, and since when.
    pub(crate) aux_job: Option<(AuxJob, Timestamp)>,
}

impl RunActivity {
    /// Adds an event.
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
