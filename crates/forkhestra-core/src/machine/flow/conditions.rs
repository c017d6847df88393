//! Conditions: checks that decide whether a step or a group is needed.

use crate::event::{CheckOutcome, CheckReport, EventKind, ProcessEnd, StepEnd};
use crate::id::UnitId;
use crate::machine::agent::inspection::InspectionPurpose;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;

impl Machine {
    /// Whether a condition of a pending step does not hold.
    pub(in crate::machine) fn is_not_needed(&self, step: usize) -> bool {
        self.state.steps[step - 1].not_needed
    }

    /// The group whose condition is being checked.
    pub(in crate::machine) fn group_of_condition(&self) -> Option<usize> {
        let MachinePhase::Inspecting(inspection) = &self.phase else { return None };
        let step = inspection.condition_of()?;
        let next = self.state.steps[step - 1].conditions_met;
        self.plan(step).conditions.get(next)?.group
    }

    /// Starts the check of a step's next condition; false if all of them hold.
    pub(in crate::machine) fn check_condition(&mut self, now: Now, step: usize) -> bool {
        let index = self.state.steps[step - 1].conditions_met;
        if index >= self.plan(step).conditions.len() {
            return false;
        }
        let number = self.plan(step).condition_number(index);
        let unit = UnitId::before_first(step);
        self.run_checks_for(now, unit, InspectionPurpose::Condition, vec![number]);
        true
    }

    /// Starts the check of the next condition of a group, or of one around it, before its first
    /// round; false if all of them hold.
    pub(in crate::machine) fn check_group_condition(
        &mut self,
        now: Now,
        group: usize,
        first_step: usize,
    ) -> bool {
        if self.is_skipped(first_step) {
            return false;
        }
        let next = self.state.steps[first_step - 1].conditions_met;
        let condition = self.plan(first_step).conditions.get(next);
        let of = condition.and_then(|condition| condition.group);
        let stages = self.state.plan.group(group).map(|group| &group.stages);
        let is_of_inner = |of| stages.is_some_and(|stages| stages.has_group(of));
        of.is_some_and(|of| !is_of_inner(of)) && self.check_condition(now, first_step)
    }

    /// Records whether a condition holds. One that cannot be checked ends the step.
    pub(in crate::machine) fn condition_checked(
        &mut self,
        now: Now,
        step: usize,
        check: CheckReport,
    ) {
        let holds = match check.outcome {
            CheckOutcome::Passed => true,
            CheckOutcome::Failed => false,
            CheckOutcome::TimedOut | CheckOutcome::NotRun => {
                let message = check.message.as_deref().unwrap_or(check.outcome.as_str());
                let why = format!("the condition {} has no result: {message}", check.name);
                self.finish_step(now, step, StepEnd::CannotCheck(why));
                return;
            }
        };
        let number = self.state.steps[step - 1].conditions_met + 1;
        self.emit(now, EventKind::ConditionChecked { step, number, holds, check });
        self.advance(now);
    }
}

/// The outcome of a condition's check. A command that was killed, or that the shell could not run,
/// has answered neither yes nor no.
pub(in crate::machine) fn condition_outcome(
    outcome: CheckOutcome,
    end: Option<&ProcessEnd>,
) -> CheckOutcome {
    match (outcome, end) {
        (CheckOutcome::Failed, Some(end)) if !end.has_own_exit_code() => CheckOutcome::NotRun,
        (other, _) => other,
    }
}
