//! An errand at work.

use std::time::Duration;

use super::life::{Due, Life};
use crate::event::{Ending, Errand};
use crate::limit::{Limit, Time};

/// An errand at work. All times are those of the run's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) errand: Errand,
    pub(super) started: Duration,
    pub(super) life: Life,
    timeout_at: Option<Duration>,
}

impl Job {
    pub(super) fn new(errand: Errand, now: Duration, timeout: Limit<Time>) -> Self {
        let timeout_at = match timeout {
            Limit::At(limit) => Some(now.saturating_add(limit.duration())),
            Limit::Off => None,
        };
        Self { errand, started: now, life: Life::new(), timeout_at }
    }

    /// Gives it no more time than until then.
    pub(super) fn must_end_by(&mut self, at: Duration) {
        self.timeout_at = Some(self.timeout_at.map_or(at, |timeout_at| timeout_at.min(at)));
    }

    fn dues(&self) -> impl Iterator<Item = (Duration, Due)> {
        let timeout = self.timeout_at.filter(|_| self.life.is_undisturbed());
        let timeout = timeout.map(|at| (at, Due::End(Ending::Timeout)));
        timeout.into_iter().chain(self.life.due())
    }

    /// The first thing that is due by now.
    pub(super) fn due(&self, now: Duration) -> Option<Due> {
        let due = self.dues().filter(|(at, _)| *at <= now);
        due.min_by_key(|(at, _)| *at).map(|(_, due)| due)
    }

    /// When something is due next.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.dues().map(|(at, _)| at).min()
    }
}
