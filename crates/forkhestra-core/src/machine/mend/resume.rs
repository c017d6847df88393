//! What must have been before a run was resumed.

use super::Mender;
use super::check::{Check, missing, no_place};
use super::outcome::finished_with;
use crate::event::{EventKind, LimitChanges, RunEnd};
use crate::id::RunId;
use crate::limit::Limit;
use crate::machine::next::{Next, next};
use crate::machine::recovery::{Found, Recovery};
use crate::machine::step_state::StepStatus;

impl Mender<'_> {
    pub(super) fn check_resumed(&self, index: usize, run: &RunId, changes: &LimitChanges) -> Check {
        if *run != self.state.run {
            return no_place("it is about another run");
        }
        match Found::of(&self.state) {
            Found::AtWork(unit) if self.is_inspected_later(index, unit) => {
                missing(self.agent_finished(index, unit))
            }
            Found::AtWork(unit) => match self.outcome_before_resume(index, unit) {
                Some(outcome) => missing(finished_with(unit, outcome)),
                None => Ok(()),
            },
            found @ Found::StepEnded { step, .. } => match &self.step(step).0.status {
                StepStatus::Ended(end)
                    if found.recovery(changes) == Recovery::RecordEnd && self.was_over(index) =>
                {
                    let end = RunEnd::Incomplete { step, end: end.clone() };
                    missing(EventKind::RunFinished { end })
                }
                _ => Ok(()),
            },
            Found::BetweenIterations { step } if self.is_iterated(index, step) => {
                self.check_was_over(index, step, changes)
            }
            _ => Ok(()),
        }
    }

    /// A step that went on although its last outcome had ended it must have been reopened.
    fn check_was_over(&self, index: usize, step: usize, changes: &LimitChanges) -> Check {
        let (state, plan) = self.step(step);
        let mut plan = plan.clone();
        plan.iterations = plan.iterations.map(|most| changes.iterations.unwrap_or(most));
        if let Some(stagnation) = changes.stagnation {
            plan.limits.stagnation.value = stagnation;
        }
        plan.limits.time.value = Limit::Off;
        let mut state = state.clone();
        state.forget_used_up(plan.iterations.is_some());
        plan.limits.max_wait.value = Limit::Off;
        match next(self.without_limits(index, &state, &plan)) {
            Next::End(end) if !end.is_complete() => {
                self.require(index, EventKind::StepFinished { step, end })
            }
            _ => Ok(()),
        }
    }
}
