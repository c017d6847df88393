//! How a step ends: [`Machine::finish_step`] decides the end, with the checks of rounds, then its work
//! is surveyed, and [`Machine::end_step`] records the end.

use crate::event::{ClaimRefusal, StepEnd};
use crate::machine::lanes::lane_machine::LaneRest;
use crate::machine::lanes::machine_role::MachineRole;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;

impl Machine {
    /// Ends a step, once the checks of its rounds have run and the summary of its work is known.
    pub(in crate::machine) fn finish_step(&mut self, now: Now, step: usize, end: StepEnd) {
        if self.role == MachineRole::MergeQueue {
            self.phase = MachinePhase::Checked { results: Vec::new(), end: Some(end) };
            return;
        }
        if self.role.shares(step) {
            self.rest(step, LaneRest::StepEnd(end));
            return;
        }
        if self.running_lanes.is_some() {
            self.leave_lanes(now, step, end);
            return;
        }
        // A skipped step ends as skipped, whatever else would end it, so that the next one begins.
        let is_unwanted = self.is_skipped(step) && !end.is_complete() && end != StepEnd::Cancelled;
        let end = if is_unwanted { StepEnd::Skipped } else { end };
        let Some(end) = self.end_with_round_checks(now, step, end) else { return };
        self.survey_work(now, step, end);
    }

    /// The end of a step, given the checks of the groups that it completes; none while they run.
    pub(in crate::machine) fn end_with_round_checks(
        &mut self,
        now: Now,
        step: usize,
        end: StepEnd,
    ) -> Option<StepEnd> {
        if !(end.is_complete() || end == StepEnd::NotNeeded) {
            return Some(end);
        }
        let has_failed = self.state.steps[step - 1].failed_round().is_some();
        let is_checked = self.state.unchecked_group(step).is_none();
        if self.is_skipped(step) {
            // A round is not accepted without its checks.
            return Some(if is_checked && !has_failed { end } else { StepEnd::Skipped });
        }
        if has_failed {
            return Some(StepEnd::Refused(ClaimRefusal::ChecksFailed));
        }
        if self.cancelled.is_some() {
            return Some(if is_checked { end } else { StepEnd::Cancelled });
        }
        (!self.check_round(now, step, &end)).then_some(end)
    }
}
