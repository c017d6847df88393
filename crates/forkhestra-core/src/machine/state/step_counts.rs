//! Numbers about the steps of a run. Only the steps on the path that the run takes count: not those that
//! an alternative ran instead of, and no alternative that is not needed.

use super::flow_position::FlowPosition;
use super::run_state::RunState;
use super::step_state::StepState;
use crate::event::{RunEnd, StepEnd};
use crate::plan::FlowGroup;

impl RunState {
    /// The number of iterations with an outcome, over all steps and rounds.
    pub fn iterations(&self) -> u32 {
        self.steps.iter().map(StepState::iterations).sum()
    }

    /// The number of the last iteration that a loop (one-based) may have; none for a step that runs
    /// once. Iterations are numbered on in each round.
    pub fn max_iterations(&self, step: usize) -> Option<u32> {
        let (plan, state) = (self.plan.step(step)?, self.step(step)?);
        Some(plan.iterations?.get().saturating_add(state.finished_before_round))
    }

    /// Whether the run is over and every step completed its work: none was skipped.
    pub fn is_completed(&self) -> bool {
        self.end == Some(RunEnd::Complete) && self.skipped_steps() == 0
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

    /// The number of the current round of a repeated group that a step (one-based) is in, the
    /// innermost first, with the group. Groups whose first round has not begun are left out.
    pub fn current_rounds(&self, step: usize) -> Vec<(&FlowGroup, u32)> {
        let enclosing = self.plan.enclosing_repeated_groups(step).into_iter();
        let numbered = enclosing.map(|group| (group, self.groups[group.number - 1].round));
        numbered.filter(|(_, round)| *round > 0).collect()
    }

    /// Whether the last round of a group (one-based) was accepted.
    pub fn is_round_accepted(&self, number: usize) -> bool {
        let group = self.plan.group(number);
        let has_begun = |group: &&FlowGroup| self.groups[group.number - 1].round > 0;
        let begun = group.filter(has_begun);
        begun.is_some_and(|group| {
            let mut deciding = group.stages.deciding_steps().into_iter();
            // A group whose deciding step was skipped is left, and nothing accepted its round.
            let has_accepted = deciding.any(|step| self.steps[step - 1].is_complete());
            has_accepted && self.position_in(&group.stages) == FlowPosition::Complete
        })
    }

    fn count_ends(&self, counts: impl Fn(&StepEnd) -> bool) -> usize {
        let ends = self.steps_on_path().into_iter().filter_map(|step| self.step(step)?.end());
        ends.filter(|end| counts(end)).count()
    }
}
