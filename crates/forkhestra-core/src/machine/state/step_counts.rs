//! Numbers about the steps of a run. Only the steps on the path that the run takes count: not those that
//! an alternative ran instead of, and no alternative that is not needed.

use super::run_state::RunState;
use super::step_state::StepState;
use crate::event::StepEnd;

impl RunState {
    /// The number of iterations with an outcome, over all steps and rounds.
    pub fn iterations(&self) -> u32 {
        self.steps.iter().map(StepState::iterations).sum()
    }

    /// The number of the last iteration that a loop (one-based) may have; none for a step that runs
    /// once. Iteration numbers continue in each round.
    pub fn last_iteration_number(&self, step: usize) -> Option<u32> {
        let (plan, state) = (self.plan.step(step)?, self.step(step)?);
        Some(plan.iterations?.get().saturating_add(state.finished_before_round))
    }

    /// The number of steps that an operator skipped.
    pub fn skipped_steps(&self) -> usize {
        self.count_ends(|end| *end == StepEnd::Skipped)
    }

    /// The number of steps whose condition does not hold.
    pub fn not_needed_steps(&self) -> usize {
        self.count_ends(|end| *end == StepEnd::NotNeeded)
    }

    /// The number of complete steps, without skipped ones.
    pub fn complete_steps(&self) -> usize {
        self.count_ends(StepEnd::is_complete)
    }

    fn count_ends(&self, counts: impl Fn(&StepEnd) -> bool) -> usize {
        let ends = self.steps_on_path().into_iter().filter_map(|step| self.step(step)?.end());
        ends.filter(|end| counts(end)).count()
    }
}
