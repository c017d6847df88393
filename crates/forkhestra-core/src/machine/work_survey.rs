//! Seeing what the agents of a step made of the repository, before the step is over.

use std::time::Duration;

use super::effect::Effect;
use super::run_clock::Now;
use super::state_machine::{Machine, MachinePhase};
use crate::event::{EventKind, StepEnd, WorkSummary};
use crate::id::UnitId;
use crate::policy::uncommitted_work;

/// Nobody waits longer for a summary.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whoever cancelled the run waits hardly at all.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

impl Machine {
    /// Ends a step, once what was made in it is known.
    pub(super) fn finish_step(&mut self, now: Now, step: usize, end: StepEnd) {
        // Whatever else speaks against a step that nobody wants any more, the next one begins.
        let is_unwanted = self.is_skipped(step) && !end.is_complete() && end != StepEnd::Cancelled;
        let end = if is_unwanted { StepEnd::Skipped } else { end };
        let is_repository = self.state.steps[step - 1].before.signals.is_some();
        // After the guard is gone the run has to end soon, but a moment for the true number of commits and
        // for the tasks is left. Only a second signal leaves none.
        let uncompared = self.uncompared(step);
        if self.insisted || !(is_repository || uncompared.is_some()) {
            self.end_step(now, step, end);
            return;
        }
        self.effects.extend(uncompared.map(|unit| Effect::CompareTasks { unit }));
        let patience = if self.cancelled.is_some() { SHORT_PATIENCE } else { PATIENCE };
        let until = self.clock.elapsed(now) + patience;
        self.phase = MachinePhase::Surveying { step, end, until };
        self.effects.push(Effect::SurveyWork { step });
    }

    /// The last agent of a step, if the end of the run left no time to look at its work, so that its
    /// changes of tasks are not recorded.
    fn uncompared(&self, step: usize) -> Option<UnitId> {
        let unit = self.state.last_unit().filter(|unit| self.hurried && unit.step == step)?;
        (self.state.steps[step - 1].tasks_recorded != Some(unit)).then_some(unit)
    }

    /// What was made in a step is known, or will not be.
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
