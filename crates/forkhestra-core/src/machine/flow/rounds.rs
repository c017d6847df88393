//! Rounds of repeated groups: their numbers, their checks, their acceptance and refusal.

use crate::event::{EventKind, Fingerprint, StepEnd};
use crate::id::UnitId;
use crate::machine::agent::inspection::InspectionPurpose;
use crate::machine::run_clock::Now;
use crate::machine::state::flow_position::FlowPosition;
use crate::machine::state::run_state::RunState;
use crate::machine::state_machine::Machine;
use crate::plan::FlowGroup;
use crate::policy::MAX_REASON_BYTES;
use crate::text::last_bytes;

impl RunState {
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

    /// The innermost group whose checks a complete step has yet to pass.
    pub(in crate::machine) fn unchecked_group(&self, step: usize) -> Option<usize> {
        let (plan, state) = (&self.plan.steps[step - 1], &self.steps[step - 1]);
        let groups =
            self.plan.enclosing_repeated_groups(step).into_iter().map(|group| group.number);
        let mut unchecked = groups.filter(|group| {
            // A group that is not needed, or skipped, has no round.
            if self.groups[group - 1].round == 0 {
                return false;
            }
            let has_run = state.round_checks.iter().any(|(checked, _)| checked == group);
            !has_run && !plan.round_check_numbers(*group).is_empty()
        });
        unchecked.next()
    }

    /// The work tree after the last iteration of a group, if it is known.
    fn tree_after(&self, group: usize) -> Option<Fingerprint> {
        let group = self.plan.group(group)?;
        let steps = group.stages.steps().into_iter().rev();
        let mut last = steps.filter_map(|step| self.steps[step - 1].last_report());
        last.next()?.observation.tree.clone()
    }
}

impl Machine {
    /// Records that a round was not accepted.
    pub(in crate::machine) fn refuse_round(
        &mut self,
        now: Now,
        group: usize,
        round: u32,
        step: usize,
    ) {
        // The comment of a person is whole: its length was checked when it was accepted.
        let max = if self.plan(step).is_question() { usize::MAX } else { MAX_REASON_BYTES };
        let reason = self.state.refusal_reason(step);
        let reason = reason.map(|reason| last_bytes(reason.trim_end(), max).to_owned());
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let tree = self.state.tree_after(group);
        self.emit(now, EventKind::RoundRefused { step, group, round, reason, tree });
    }

    /// Starts the checks of a group that a complete step has yet to pass; false if there are none.
    pub(in crate::machine) fn check_round(&mut self, now: Now, step: usize, end: &StepEnd) -> bool {
        let Some(group) = self.state.unchecked_group(step) else { return false };
        let checks = self.plan(step).round_check_numbers(group);
        let state = &self.state.steps[step - 1];
        let finished = state.finished > 0;
        let unit = if finished {
            UnitId { step, iteration: state.finished, attempt: state.tries.max(1) }
        } else {
            UnitId::before_first(step)
        };
        let purpose = InspectionPurpose::Round { group, end: end.clone() };
        self.run_checks_for(now, unit, purpose, checks);
        true
    }
}
