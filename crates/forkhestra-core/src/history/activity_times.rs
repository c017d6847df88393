//! Where the time of a run went.

use std::iter::Sum;
use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lanes::lanes_history::LanesHistory;
use super::lanes::queue_activity::QueueActivity;
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
    /// Work of lanes was checked and landed, while no agent ran.
    #[serde(default, with = "Milliseconds", skip_serializing_if = "Duration::is_zero")]
    pub landing: Duration,
    /// Agents in lanes ran: the sum over all lanes. It is not part of the wall time.
    #[serde(default, with = "Milliseconds", skip_serializing_if = "Duration::is_zero")]
    pub work_in_lanes: Duration,
    /// Everything else: observing the work tree, starting and ending.
    #[serde(with = "Milliseconds")]
    pub other: Duration,
}

/// What wall time is counted as. If several things happen at once, the first one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TimeCategory {
    Agents,
    Checks,
    Landing,
    Hooks,
    Provider,
    Backoff,
    Other,
}

/// What a run does in a period, with all its lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct WallActivity {
    category: TimeCategory,
    /// The agents in lanes that run.
    agents_in_lanes: u32,
    is_asking: bool,
}

/// Adds the time between two events to what the run did then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ActivityClock {
    /// The run's clock at the last event.
    elapsed: Duration,
    pub(super) times: ActivityTimes,
}

impl ActivityTimes {
    /// All wall time together.
    pub fn total(&self) -> Duration {
        let Self {
            agents, checks, hooks, provider, backoff, paused, asking, landing, other, ..
        } = *self;
        let all = [agents, checks, hooks, provider, backoff, paused, asking, landing, other];
        all.into_iter().fold(Duration::ZERO, Duration::saturating_add)
    }

    fn of(&mut self, category: TimeCategory) -> &mut Duration {
        match category {
            TimeCategory::Agents => &mut self.agents,
            TimeCategory::Checks => &mut self.checks,
            TimeCategory::Landing => &mut self.landing,
            TimeCategory::Hooks => &mut self.hooks,
            TimeCategory::Provider => &mut self.provider,
            TimeCategory::Backoff => &mut self.backoff,
            TimeCategory::Other => &mut self.other,
        }
    }
}

impl TimeCategory {
    const fn of(activity: RunActivity) -> Self {
        match activity {
            // The work tree is observed before and between checks, also in a step without any.
            // The run's clock is paused while a person is asked.
            RunActivity::Idle | RunActivity::Judging { .. } | RunActivity::Asking { .. } => {
                Self::Other
            }
            RunActivity::AgentRunning { .. } => Self::Agents,
            RunActivity::AuxJobRunning { job, .. } => match job {
                AuxJob::Setup { .. } | AuxJob::Check { .. } => Self::Checks,
                AuxJob::Hook { .. } => Self::Hooks,
            },
            RunActivity::BackingOff { .. } => Self::Backoff,
            RunActivity::WaitingForProvider { .. } => Self::Provider,
        }
    }
}

impl WallActivity {
    /// What the run does: with lanes, the first category that any of them is in.
    pub(super) fn of(activity: RunActivity, lanes: &LanesHistory) -> Self {
        let is_asking = matches!(activity, RunActivity::Asking { .. });
        let queue = (lanes.queue != QueueActivity::Idle).then_some(TimeCategory::Landing);
        let of_lanes = lanes.lanes.iter().map(|lane| TimeCategory::of(lane.activity));
        let all = of_lanes.chain(queue).chain([TimeCategory::of(activity)]);
        Self {
            category: all.min().unwrap_or(TimeCategory::Other),
            agents_in_lanes: u32::try_from(lanes.running_agents()).unwrap_or(u32::MAX),
            is_asking,
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
        self.landing = self.landing.saturating_add(more.landing);
        self.work_in_lanes = self.work_in_lanes.saturating_add(more.work_in_lanes);
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
        before: WallActivity,
        paused: Option<Timestamp>,
        last: Timestamp,
    ) {
        // A resume includes the time that a killed process ran after its last event.
        let passed = event.elapsed.saturating_sub(self.elapsed);
        let time = self.times.of(before.category);
        *time = time.saturating_add(passed);
        let work = passed.saturating_mul(before.agents_in_lanes);
        self.times.work_in_lanes = self.times.work_in_lanes.saturating_add(work);
        self.elapsed = self.elapsed.max(event.elapsed);
        // A pause that the process did not survive has no known end.
        let ends_pause = matches!(event.kind, EventKind::Continued | EventKind::RunFinished { .. });
        if let Some(since) = paused.filter(|_| ends_pause) {
            let time = &mut self.times.paused;
            *time = time.saturating_add(event.at.saturating_since(since));
        }
        let is_asking = before.is_asking && paused.is_none();
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
            *times.of(TimeCategory::of(activity)) += Duration::from_secs(1);
            assert_eq!(times.checks.as_secs(), expected, "{activity:?}");
            assert_eq!(times.total(), Duration::from_secs(1));
        }
    }
}
