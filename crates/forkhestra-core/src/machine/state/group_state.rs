//! What a run knows of a group: its round, and how the round before was refused.

use std::time::Duration;

use super::pending_feedback::PendingFeedback;
use super::run_state::{RunState, UnexpectedEvent};
use crate::event::Fingerprint;
use crate::plan::PlanCondition;
use crate::policy::Feedback;

/// The state of a group. Without rounds, only `between_steps` changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupState {
    /// The number of the current round; zero before the first.
    pub round: u32,
    /// Whether the refusal of the current round is recorded.
    pub refused: bool,
    /// Iterations that its steps had finished, and the last question of the run, when the current
    /// round began.
    pub(crate) finished_before: u32,
    pub(crate) asked_before: u32,
    /// The work tree after the last refused round, if it is known.
    pub(crate) refused_tree: Option<Fingerprint>,
    /// Whether the last two refused rounds left the same work tree.
    pub(crate) cycling: bool,
    /// How long no step of it was open while the run was in it: conditions were checked.
    pub(crate) between_steps: Duration,
}

impl GroupState {
    pub(crate) const fn begin_round(&mut self, round: u32, finished: u32, asked: u32) {
        self.round = round;
        self.refused = false;
        self.finished_before = finished;
        self.asked_before = asked;
    }

    /// Notes a refused round, and whether nothing ran in it.
    pub(crate) fn refuse(&mut self, tree: Option<&Fingerprint>, nothing_ran: bool) {
        self.refused = true;
        self.cycling = nothing_ran || (tree.is_some() && self.refused_tree.as_ref() == tree);
        self.refused_tree = tree.cloned();
    }
}

impl RunState {
    fn group_mut(&mut self, number: usize) -> Result<&mut GroupState, UnexpectedEvent> {
        let group = number.checked_sub(1).and_then(|index| self.groups.get_mut(index));
        group.ok_or(UnexpectedEvent("the plan has no such group"))
    }

    fn steps_of_group(&self, number: usize) -> Vec<usize> {
        self.plan.group(number).map(|group| group.stages.steps()).unwrap_or_default()
    }

    /// Iterations that finished in some steps (one-based), in all rounds.
    fn finished_in(&self, steps: &[usize]) -> u32 {
        let finished = steps.iter().map(|step| self.steps[step - 1].finished);
        finished.fold(0, u32::saturating_add)
    }

    /// Notes that a round was not accepted, with the feedback for the next one.
    pub(super) fn refuse_round(
        &mut self,
        number: usize,
        feedback: Feedback,
        tree: Option<&Fingerprint>,
    ) -> Result<(), UnexpectedEvent> {
        let steps = self.steps_of_group(number);
        let feedback = feedback.with_changed_files(self.changed_paths(&steps));
        let (finished, asked) = (self.finished_in(&steps), self.last_question);
        self.pending_feedback = Some(PendingFeedback { feedback, steps });
        let group = self.group_mut(number)?;
        // The round may have had several rounds of inner groups.
        let nothing_ran = finished <= group.finished_before && asked <= group.asked_before;
        group.refuse(tree, nothing_ran);
        Ok(())
    }

    /// Takes back the refusals of the rounds that a step (one-based) decided about.
    pub(super) fn reopen_rounds(&mut self, step: usize) {
        for group in self.plan.enclosing_repeated_groups(step) {
            self.groups[group.number - 1].refused = false;
        }
        self.pending_feedback = None;
    }

    /// Begins a round of a group: its steps and the groups in it begin again.
    pub(super) fn begin_round(&mut self, number: usize, round: u32) -> Result<(), UnexpectedEvent> {
        let members = self.steps_of_group(number);
        let lanes = self.lanes.iter_mut().filter(|lanes| members.contains(&lanes.steps[0]));
        lanes.for_each(|lanes| lanes.is_outdated = true);
        let (finished, asked) = (self.finished_in(&members), self.last_question);
        self.group_mut(number)?.begin_round(round, finished, asked);
        let Some(group) = self.plan.group(number) else { return Ok(()) };
        let inner: Vec<usize> = group.stages.groups().iter().map(|group| group.number).collect();
        self.note_changed_files(&members);
        for &step in &members {
            if self.steps.get(step - 1).is_none_or(|step| step.running.is_some()) {
                return Err(UnexpectedEvent("an agent was running"));
            }
            // The condition of the group itself is decided once, before the first round.
            let stays =
                |condition: &&PlanCondition| condition.group.is_some_and(|of| !inner.contains(&of));
            let decided = self.plan.steps[step - 1].conditions.iter().take_while(stays).count();
            let kept = decided.min(self.steps[step - 1].conditions_met);
            let state = &mut self.steps[step - 1];
            // Something before the group stays replaced by it.
            let instead_of = state.instead_of.filter(|other| !members.contains(other));
            state.begin_round();
            (state.conditions_met, state.instead_of) = (kept, instead_of);
        }
        for inner in inner {
            let group = &mut self.groups[inner - 1];
            *group = GroupState { between_steps: group.between_steps, ..GroupState::default() };
        }
        Ok(())
    }

    /// Skips all steps of a group that have not ended.
    pub(super) fn skip_group(&mut self, number: usize) {
        for step in self.steps_of_group(number) {
            let state = &mut self.steps[step - 1];
            state.skip |= state.end().is_none();
        }
    }

    /// Notes whether a condition holds. If not, its step or all steps of its group are not needed.
    pub(super) fn note_condition(&mut self, step: usize, number: usize, holds: bool) {
        if holds {
            self.steps[step - 1].conditions_met = number;
            return;
        }
        let condition = self.plan.steps[step - 1].conditions.get(number - 1);
        let group = condition.and_then(|condition| condition.group);
        let steps = group.map_or_else(|| vec![step], |group| self.steps_of_group(group));
        steps.into_iter().for_each(|step| self.steps[step - 1].not_needed = true);
    }
}
