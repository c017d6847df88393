//! Surveying what the agents of a step changed in the repository, before the step ends.

use std::time::Duration;

use super::effect::Effect;
use super::machine_phase::MachinePhase;
use super::run_clock::Now;
use super::state_machine::Machine;
use crate::event::{EventKind, StepEnd, WorkSummary};
use crate::id::UnitId;
use crate::policy::uncommitted_work;

/// Upper bound for the survey.
const SURVEY_TIMEOUT: Duration = Duration::from_secs(10);

/// Upper bound for the survey of a cancelled run.
const CANCELLED_SURVEY_TIMEOUT: Duration = Duration::from_secs(1);

impl Machine {
    /// Surveys the work of a step, and ends it then.
    pub(super) fn survey_work(&mut self, now: Now, step: usize, end: StepEnd) {
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
        self.phase = MachinePhase::Surveying { step, end, until };
        self.effects.push(Effect::SurveyWork { step });
    }

    /// The last agent of a step, if the end of the run left no time to observe its work, so that
    /// its changes to tasks are not recorded.
    fn unobserved_unit(&self, step: usize) -> Option<UnitId> {
        let unit = self.state.last_unit().filter(|unit| self.ends_at_once && unit.step == step)?;
        (self.state.steps[step - 1].tasks_recorded != Some(unit)).then_some(unit)
    }

    /// Takes the survey's result, or its absence.
    pub(super) fn surveyed(&mut self, now: Now, of: usize, work: Option<WorkSummary>) {
        let MachinePhase::Surveying { step, end, .. } = &self.phase else { return };
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
