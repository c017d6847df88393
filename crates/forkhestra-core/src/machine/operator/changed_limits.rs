//! Applying limits that an operator changed during the run.

use crate::event::{StepEnd, WaitCause};
use crate::machine::machine_phase::MachinePhase;
use crate::machine::next_action::NextAction;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::policy::{has_task_check, polls_tasks};

impl Machine {
    /// Applies the current limits to the running agent, aux job or wait. Idempotent.
    pub(crate) fn apply_changed_limits(&mut self, now: Now) {
        self.refresh_time(now);
        let elapsed = self.clock.elapsed(now);
        match &mut self.phase {
            MachinePhase::AgentRunning(unit) => {
                unit.set_limits(&self.state.plan.steps[unit.id.step - 1], elapsed);
                self.enforce_cost(now);
            }
            MachinePhase::BackingOff { step, .. } => {
                let step = *step;
                match self.next(now, step) {
                    NextAction::Iterate { .. } => self.shorten_backoff(step),
                    NextAction::Wait { .. } | NextAction::End(_) => self.continue_step(now, step),
                }
            }
            MachinePhase::Waiting { wait, .. } => {
                let wait = *wait;
                let mut next = self.next(now, wait.step);
                if wait.why == WaitCause::Quota {
                    next = self.within_quota(now, wait.step, next);
                }
                match next {
                    NextAction::Wait { until, .. } if until == wait.until => {
                        self.continue_provider_wait(now, wait);
                    }
                    // Only the wall clock can tell whether the wait for a provider is over. With a
                    // fallback, another back-end may be free.
                    NextAction::Iterate { .. }
                        if wait.why != WaitCause::Quota
                            && self.plan(wait.step).fallback.is_none() =>
                    {
                        self.check_calendar(now);
                    }
                    _ => self.continue_step(now, wait.step),
                }
            }
            MachinePhase::PollingTasks { step, .. } => {
                let step = *step;
                self.repeat_task_poll(now, step);
            }
            MachinePhase::Surveying { step, end, .. } if is_by_limit(end) => {
                let (step, end) = (*step, end.clone());
                let next = self.next(now, step);
                if self.within_quota(now, step, next) != NextAction::End(end) {
                    self.resume_step(now, step);
                }
            }
            MachinePhase::InLanes { .. } => {
                self.with_each(|machine| machine.apply_changed_limits(now));
                self.wake_for_changed_limits(now);
            }
            // The pending action was decided already; the new limits apply to the next decision.
            MachinePhase::New
            | MachinePhase::Observing { .. }
            | MachinePhase::Asking { .. }
            | MachinePhase::Inspecting(_)
            | MachinePhase::RunningHooks(_)
            | MachinePhase::Surveying { .. }
            | MachinePhase::Advancing { .. }
            | MachinePhase::AwaitingLanding { .. }
            | MachinePhase::Resting(_)
            | MachinePhase::Checked { .. }
            | MachinePhase::Over => {}
        }
    }

    /// An attempt that starts after the time limit is not waited for.
    fn shorten_backoff(&mut self, of: usize) {
        let time_is_up = self.state.limit_deadlines(of).map(|(at, _)| at).min();
        if let (MachinePhase::BackingOff { until, .. }, Some(at)) = (&mut self.phase, time_is_up) {
            *until = at.min(*until);
        }
    }

    /// The poll's answer may now decide something else, or may not be needed at all.
    fn repeat_task_poll(&mut self, now: Now, of: usize) {
        let next = self.next(now, of);
        let (asks_before, asks_after) = (polls_tasks(self.plan(of)), has_task_check(self.plan(of)));
        let MachinePhase::PollingTasks { otherwise, .. } = &mut self.phase else { return };
        match next {
            NextAction::Iterate { .. } if asks_before => *otherwise = None,
            NextAction::End(end @ StepEnd::MaxIterations) if asks_after => *otherwise = Some(end),
            _ => self.continue_step(now, of),
        }
    }
}

/// Whether a step that is about to end could go on under a changed limit.
pub(crate) const fn is_by_limit(end: &StepEnd) -> bool {
    matches!(
        end,
        StepEnd::MaxIterations
            | StepEnd::Stagnated(_)
            | StepEnd::Cycling(_)
            | StepEnd::StepTime
            | StepEnd::GroupTime
            | StepEnd::RunTime
            | StepEnd::StepCost
            | StepEnd::GroupCost
            | StepEnd::RunCost
            | StepEnd::Quota(_)
    )
}
