//! The time limits of a run and its steps.

use std::time::Duration;

use crate::event::{StepEnd, StopReason};
use crate::limit::{HumanDuration, Limit};
use crate::machine::agent::running_agent::RunningAgent;
use crate::machine::run_clock::Now;
use crate::machine::state::run_state::RunState;
use crate::machine::state_machine::Machine;
use crate::plan::FlowGroup;

impl RunState {
    /// The time of a group in all its rounds: that of its steps and of the conditions in it.
    pub(crate) fn group_elapsed(&self, group: &FlowGroup) -> Duration {
        let steps = group.stages.steps().into_iter();
        let of_steps: Duration =
            steps.filter_map(|step| self.step(step)).map(|step| step.elapsed).sum();
        let between = self.groups.get(group.number - 1).map(|state| state.between_steps);
        of_steps + between.unwrap_or_default()
    }

    /// The time limits around a step (one-based), each with what is used of it. The limit of the
    /// run is first, then those of groups, the innermost first.
    fn enclosing_time_limits(
        &self,
        step: usize,
    ) -> impl Iterator<Item = (HumanDuration, Duration, StopReason)> + use<> {
        let run = (self.plan.limits.time.value, self.elapsed, StopReason::RunTime);
        let groups = self.plan.enclosing_groups(step).into_iter().map(|group| {
            (group.limits.time.value, self.group_elapsed(group), StopReason::GroupTime)
        });
        let of_step = self.plan.step(step).map_or(Limit::Off, |step| step.limits.time.value);
        let used = self.step(step).map(|step| step.elapsed).unwrap_or_default();
        let limits = [run].into_iter().chain(groups).chain([(of_step, used, StopReason::StepTime)]);
        let limits = limits.filter_map(|(limit, used, why)| Some((limit.value()?, used, why)));
        limits.collect::<Vec<_>>().into_iter()
    }

    /// The end of a step (one-based) whose time, or that of a group or the run, is used up.
    pub(crate) fn used_up_time(&self, step: usize) -> Option<StepEnd> {
        let mut limits = self.enclosing_time_limits(step);
        let (_, _, why) = limits.find(|(limit, used, _)| *used >= limit.duration())?;
        match why {
            StopReason::RunTime => Some(StepEnd::RunTime),
            StopReason::GroupTime => Some(StepEnd::GroupTime),
            _ => Some(StepEnd::StepTime),
        }
    }

    /// The time limits of run, groups and step (one-based) on the run's clock.
    pub(crate) fn limit_deadlines(
        &self,
        step: usize,
    ) -> impl Iterator<Item = (Duration, StopReason)> + use<> {
        let elapsed = self.elapsed;
        let limits = self.enclosing_time_limits(step);
        // The limit of the run counts from its begin, even if it is exceeded.
        limits.map(move |(limit, used, why)| match why {
            StopReason::RunTime => (limit.duration(), why),
            _ => (elapsed + limit.duration().saturating_sub(used), why),
        })
    }
}

impl Machine {
    /// When a time limit of step or run will be used up while the agent runs.
    pub(in crate::machine) fn time_limit(&self, unit: &RunningAgent) -> Option<Duration> {
        self.time_limits(unit).map(|(at, _)| at).min()
    }

    /// The time limits of run and step on the run's clock, while the agent runs.
    pub(in crate::machine) fn time_limits(
        &self,
        unit: &RunningAgent,
    ) -> impl Iterator<Item = (Duration, StopReason)> {
        let running = unit.lifecycle.is_running_unstopped();
        self.state.limit_deadlines(unit.id.step).filter(move |_| running)
    }

    /// Updates the state's elapsed time without an event.
    pub(in crate::machine) fn refresh_time(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        self.state.advance_time(elapsed);
    }
}
