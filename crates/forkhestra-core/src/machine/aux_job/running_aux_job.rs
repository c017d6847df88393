//! A running aux job.

use std::time::Duration;

use crate::event::{AuxJob, StopReason};
use crate::limit::{HumanDuration, Limit};
use crate::machine::process_lifecycle::{DueAction, ProcessLifecycle};

/// A running aux job. All times are on the run's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunningAuxJob {
    pub(crate) aux_job: AuxJob,
    pub(crate) started: Duration,
    pub(crate) lifecycle: ProcessLifecycle,
    timeout_at: Option<Duration>,
}

impl RunningAuxJob {
    pub(crate) fn new(aux_job: AuxJob, now: Duration, timeout: Limit<HumanDuration>) -> Self {
        let timeout_at = match timeout {
            Limit::At(limit) => Some(now.saturating_add(limit.duration())),
            Limit::Off => None,
        };
        Self { aux_job, started: now, lifecycle: ProcessLifecycle::new(), timeout_at }
    }

    /// Shortens its timeout to the given time.
    pub(crate) fn must_end_by(&mut self, at: Duration) {
        self.timeout_at = Some(self.timeout_at.map_or(at, |timeout_at| timeout_at.min(at)));
    }

    fn dues(&self) -> impl Iterator<Item = (Duration, DueAction)> {
        let timeout = self.timeout_at.filter(|_| self.lifecycle.is_running_unstopped());
        let timeout = timeout.map(|at| (at, DueAction::End(StopReason::Timeout)));
        timeout.into_iter().chain(self.lifecycle.due())
    }

    /// The earliest action that is due by now.
    pub(crate) fn due(&self, now: Duration) -> Option<DueAction> {
        let due = self.dues().filter(|(at, _)| *at <= now);
        due.min_by_key(|(at, _)| *at).map(|(_, due)| due)
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.dues().map(|(at, _)| at).min()
    }
}
