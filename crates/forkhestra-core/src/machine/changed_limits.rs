//! What follows from limits that somebody has changed while the run goes on.

use super::clock::Now;
use super::driver::{Machine, Phase};
use super::next::Next;
use crate::event::StepEnd;
use crate::policy::{asks_tasks, has_task_check};

impl Machine {
    /// Holds what is at work, or is waited for, to the limits of now. Doing that twice changes nothing.
    pub(super) fn hold_to_limits(&mut self, now: Now) {
        self.refresh_time(now);
        let elapsed = self.clock.elapsed(now);
        match &mut self.phase {
            Phase::Working(unit) => {
                unit.hold_to(&self.state.plan.steps[unit.id.step - 1], elapsed);
                self.enforce_cost(now);
            }
            Phase::BackingOff { step, .. } => {
                let step = *step;
                if let Next::End(_) = self.next(now, step) {
                    self.go_on(now, step);
                } else {
                    self.shorten_backoff(step);
                }
            }
            Phase::Waiting { wait, .. } => {
                let wait = *wait;
                match self.next(now, wait.step) {
                    Next::Wait { until, .. } if until == wait.until => self.wait_on(now, wait),
                    // That it is over may be known by another clock only.
                    Next::Iterate { .. } => self.look_at_calendar(now),
                    Next::Wait { .. } | Next::End(_) => self.go_on(now, wait.step),
                }
            }
            Phase::Asking { step, .. } => {
                let step = *step;
                self.ask_for_something_else(now, step);
            }
            Phase::Surveying { step, end, .. } if is_by_limit(end) => {
                let (step, end) = (*step, end.clone());
                if self.next(now, step) != Next::End(end) {
                    self.take_up(now, step);
                }
            }
            // What was decided is about to be done, and whatever comes after it is decided then.
            Phase::New
            | Phase::Looking { .. }
            | Phase::Inspecting(_)
            | Phase::Hooking(_)
            | Phase::Surveying { .. }
            | Phase::Over => {}
        }
    }

    /// Nobody waits for a try that there will be no time for.
    fn shorten_backoff(&mut self, of: usize) {
        let time_is_up = self.moments(of).map(|(at, _)| at).min();
        if let (Phase::BackingOff { until, .. }, Some(at)) = (&mut self.phase, time_is_up) {
            *until = at.min(*until);
        }
    }

    /// The same answer decides something else, if one is needed at all.
    fn ask_for_something_else(&mut self, now: Now, of: usize) {
        let next = self.next(now, of);
        let (asks_before, asks_after) = (asks_tasks(self.plan(of)), has_task_check(self.plan(of)));
        let Phase::Asking { otherwise, .. } = &mut self.phase else { return };
        match next {
            Next::Iterate { .. } if asks_before => *otherwise = None,
            Next::End(end @ StepEnd::MaxIterations) if asks_after => *otherwise = Some(end),
            _ => self.go_on(now, of),
        }
    }
}

/// Whether a step that is about to end may go on if a limit is another one.
const fn is_by_limit(end: &StepEnd) -> bool {
    matches!(
        end,
        StepEnd::MaxIterations
            | StepEnd::Stagnated(_)
            | StepEnd::Cycling(_)
            | StepEnd::StepTime
            | StepEnd::RunTime
            | StepEnd::StepCost
            | StepEnd::RunCost
    )
}
