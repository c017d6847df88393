//! Surveying what the agents of a step changed in the repository, before the step ends.

use std::time::Duration;

use super::effect::Effect;
use super::lane::MachinePhase;
use super::run_clock::Now;
use super::state_machine::Machine;
use crate::event::{ClaimRefusal, EventKind, StepEnd, WorkSummary};
use crate::id::UnitId;
use crate::policy::uncommitted_work;

/// Upper bound for the survey.
const SURVEY_TIMEOUT: Duration = Duration::from_secs(10);

/// Upper bound for the survey of a cancelled run.
const CANCELLED_SURVEY_TIMEOUT: Duration = Duration::from_secs(1);

impl Machine {
    /// Ends a step, once the summary of its work is known.
    pub(super) fn finish_step(&mut self, now: Now, step: usize, end: StepEnd) {
        // A skipped step ends as skipped, whatever else would end it, so that the next one begins.
        let is_unwanted = self.is_skipped(step) && !end.is_complete() && end != StepEnd::Cancelled;
        let end = if is_unwanted { StepEnd::Skipped } else { end };
        let Some(end) = self.end_with_round_checks(now, step, end) else { return };
        let is_repository = self.state.steps[step - 1].before.signals.is_some();
        // A run that lost its guard has to end soon, but may still count commits and compare tasks.
        // Only a repeated cancellation leaves no time for that.
        let uncompared = self.unobserved_unit(step);
        if self.cancelled_again || !(is_repository || uncompared.is_some()) {
            self.end_step(now, step, end);
            return;
        }
        self.effects.extend(uncompared.map(|unit| Effect::CompareTasks { unit }));
        let timeout =
            if self.cancelled.is_some() { CANCELLED_SURVEY_TIMEOUT } else { SURVEY_TIMEOUT };
        let until = self.clock.elapsed(now) + timeout;
        self.lane.phase = MachinePhase::Surveying { step, end, until };
        self.effects.push(Effect::SurveyWork { step });
    }

    /// The end of a step, given the checks of the groups that it completes; none while they run.
    pub(super) fn end_with_round_checks(
        &mut self,
        now: Now,
        step: usize,
        end: StepEnd,
    ) -> Option<StepEnd> {
        if !(end.is_complete() || end == StepEnd::NotNeeded) {
            return Some(end);
        }
        let has_failed = self.state.steps[step - 1].failed_round_checks().is_some();
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

    /// The last agent of a step, if the end of the run left no time to observe its work, so that
    /// its changes to tasks are not recorded.
    fn unobserved_unit(&self, step: usize) -> Option<UnitId> {
        let unit = self.state.last_unit().filter(|unit| self.ends_at_once && unit.step == step)?;
        (self.state.steps[step - 1].tasks_recorded != Some(unit)).then_some(unit)
    }

    /// Takes the survey's result, or its absence.
    pub(super) fn surveyed(&mut self, now: Now, of: usize, work: Option<WorkSummary>) {
        let MachinePhase::Surveying { step, end, .. } = &self.lane.phase else { return };
        if *step != of {
            return;
        }
        let end = end.clone();
        if let Some(work) = work {
            let warning = uncommitted_work(&self.state.plan, &self.state.plan.steps[of - 1], &work);
            self.emit(now, EventKind::Surveyed { step: of, work });
            if let Some(message) = warning {
                self.emit(now, EventKind::Warning { message });
            }
        }
        self.end_step(now, of, end);
    }
}
