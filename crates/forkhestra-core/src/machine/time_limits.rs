//! The time limits of a run and its steps.

use std::time::Duration;

use super::agent::running_agent::RunningAgent;
use super::next_action::is_used_up;
use super::run_clock::Now;
use super::state::run_state::RunState;
use super::state_machine::Machine;
use crate::event::{StepEnd, StopReason};
use crate::limit::Limit;

impl RunState {
    /// The end of a step (one-based) whose time, or the run's, is used up.
    pub(crate) fn used_up_time(&self, step: usize) -> Option<StepEnd> {
        if is_used_up(self.elapsed, self.plan.limits.time.value) {
            Some(StepEnd::RunTime)
        } else if is_used_up(
            self.steps[step - 1].elapsed,
            self.plan.steps[step - 1].limits.time.value,
        ) {
            Some(StepEnd::StepTime)
        } else {
            None
        }
    }

    /// The time limits of run and step (one-based) on the run's clock.
    pub(crate) fn limit_deadlines(
        &self,
        step: usize,
    ) -> impl Iterator<Item = (Duration, StopReason)> + use<> {
        let run = match self.plan.limits.time.value {
            Limit::At(limit) => Some((limit.duration(), StopReason::RunTime)),
            Limit::Off => None,
        };
        let step = match self.plan.steps[step - 1].limits.time.value {
            Limit::At(limit) => {
                let left = limit.duration().saturating_sub(self.steps[step - 1].elapsed);
                Some((self.elapsed + left, StopReason::StepTime))
            }
            Limit::Off => None,
        };
        [run, step].into_iter().flatten()
    }
}

impl Machine {
    /// When a time limit of step or run will be used up while the agent runs.
    pub(super) fn time_limit(&self, unit: &RunningAgent) -> Option<Duration> {
        self.time_limits(unit).map(|(at, _)| at).min()
    }

    /// The time limits of run and step on the run's clock, while the agent runs.
    pub(super) fn time_limits(
        &self,
        unit: &RunningAgent,
    ) -> impl Iterator<Item = (Duration, StopReason)> {
        let running = unit.lifecycle.is_running_unstopped();
        self.state.limit_deadlines(unit.id.step).filter(move |_| running)
    }

    /// Updates the state's elapsed time without an event.
    pub(super) fn refresh_time(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        self.state.advance_time(elapsed);
    }
}
