//! Where the time of a run went.

use std::iter::Sum;
use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::run_activity::RunActivity;
use crate::event::wire::Milliseconds;
use crate::event::{AuxJob, Event, EventKind};
use crate::time::Timestamp;

/// Where the time of a run went. Everything but `paused` and `asking` is on the run's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityTimes {
    /// Agents ran.
    #[serde(with = "Milliseconds")]
    pub agents: Duration,
    /// The work of an agent was checked, with the set-up of clean rooms.
    #[serde(with = "Milliseconds")]
    pub checks: Duration,
    #[serde(with = "Milliseconds")]
    pub hooks: Duration,
    /// The provider of an agent did not serve it: a usage limit or an overload.
    #[serde(with = "Milliseconds")]
    pub provider: Duration,
    /// The next iteration waited after crashes.
    #[serde(with = "Milliseconds")]
    pub backoff: Duration,
    /// An operator had paused the run. This time is not on the run's clock.
    #[serde(with = "Milliseconds")]
    pub paused: Duration,
    /// A person was asked. This time is not on the run's clock.
    #[serde(with = "Milliseconds")]
    pub asking: Duration,
    /// Everything else: observing the work tree, starting and ending.
    #[serde(with = "Milliseconds")]
    pub other: Duration,
}

/// Adds the time between two events to what the run did then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ActivityClock {
    /// The run's clock at the last event.
    elapsed: Duration,
    pub(super) times: ActivityTimes,
}

impl ActivityTimes {
    /// All time together.
    pub fn total(&self) -> Duration {
        let Self { agents, checks, hooks, provider, backoff, paused, asking, other } = *self;
        let all = [agents, checks, hooks, provider, backoff, paused, asking, other];
        all.into_iter().fold(Duration::ZERO, Duration::saturating_add)
    }

    fn of(&mut self, activity: RunActivity) -> &mut Duration {
        match activity {
            // The work tree is observed before and between checks, also in a step without any.
            // The run's clock is paused while a person is asked.
            RunActivity::Idle | RunActivity::Judging { .. } | RunActivity::Asking { .. } => {
                &mut self.other
            }
            RunActivity::AgentRunning { .. } => &mut self.agents,
            RunActivity::AuxJobRunning { job, .. } => match job {
                AuxJob::Setup { .. } | AuxJob::Check { .. } => &mut self.checks,
                AuxJob::Hook { .. } => &mut self.hooks,
            },
            RunActivity::BackingOff { .. } => &mut self.backoff,
            RunActivity::WaitingForProvider { .. } => &mut self.provider,
        }
    }
}

impl AddAssign for ActivityTimes {
    fn add_assign(&mut self, more: Self) {
        self.agents = self.agents.saturating_add(more.agents);
        self.checks = self.checks.saturating_add(more.checks);
        self.hooks = self.hooks.saturating_add(more.hooks);
        self.provider = self.provider.saturating_add(more.provider);
        self.backoff = self.backoff.saturating_add(more.backoff);
        self.paused = self.paused.saturating_add(more.paused);
        self.asking = self.asking.saturating_add(more.asking);
        self.other = self.other.saturating_add(more.other);
    }
}

impl Sum for ActivityTimes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, times| {
            sum += times;
            sum
        })
    }
}

impl ActivityClock {
    /// Counts the time since the last event. `before` is what the run did until now, and `paused`
    /// is since when it was paused. The last event was at `last`.
    pub(super) fn advance(
        &mut self,
        event: &Event,
        before: RunActivity,
        paused: Option<Timestamp>,
        last: Timestamp,
    ) {
        // A resume includes the time that a killed process ran after its last event.
        let passed = event.elapsed.saturating_sub(self.elapsed);
        let time = self.times.of(before);
        *time = time.saturating_add(passed);
        self.elapsed = self.elapsed.max(event.elapsed);
        // A pause that the process did not survive has no known end.
        let ends_pause = matches!(event.kind, EventKind::Continued | EventKind::RunFinished { .. });
        if let Some(since) = paused.filter(|_| ends_pause) {
            let time = &mut self.times.paused;
            *time = time.saturating_add(event.at.saturating_since(since));
        }
        let is_asking = matches!(before, RunActivity::Asking { .. }) && paused.is_none();
        // Nothing was asked between the end of a process and a resume.
        if is_asking && !matches!(event.kind, EventKind::RunResumed { .. }) {
            let stood_still = event.at.saturating_since(last).saturating_sub(passed);
            self.times.asking = self.times.asking.saturating_add(stood_still);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::UnitId;

    #[test]
    fn only_running_checks_and_set_ups_count_as_checks() {
        let (unit, since) = (UnitId { step: 1, iteration: 1, attempt: 1 }, Duration::ZERO);
        let check = AuxJob::Check { unit, number: 1 };
        for (activity, expected) in [
            (RunActivity::AuxJobRunning { job: check, since }, 1),
            (RunActivity::AuxJobRunning { job: AuxJob::Setup { unit }, since }, 1),
            (RunActivity::Judging { unit, since }, 0),
            (RunActivity::Idle, 0),
        ] {
            let mut times = ActivityTimes::default();
            *times.of(activity) += Duration::from_secs(1);
            assert_eq!(times.checks.as_secs(), expected, "{activity:?}");
            assert_eq!(times.total(), Duration::from_secs(1));
        }
    }
}
