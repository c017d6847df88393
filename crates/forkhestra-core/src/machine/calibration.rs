//! Calibration of a step's checks before its first iteration.

use super::run_clock::Now;
use super::state_machine::Machine;
use crate::event::{CheckReport, EventKind, StepEnd};
use crate::policy::calibration::{
    checks_not_red_at_start, checks_to_calibrate, green_check_warning,
};

impl Machine {
    /// Whether no agent of a step has been started.
    fn is_untouched(&self, step: usize) -> bool {
        let state = &self.state.steps[step - 1];
        state.finished == 0 && state.interrupt == 0 && state.tries == 0
    }

    /// The checks to run before the first iteration of a step; none if they have run.
    pub(super) fn checks_before_first(&self, step: usize) -> Vec<usize> {
        if !self.is_untouched(step) || self.state.steps[step - 1].calibration.is_some() {
            return Vec::new();
        }
        checks_to_calibrate(self.plan(step))
    }

    /// The end of a step whose checks had to fail before its first iteration, and did not.
    pub(super) fn end_by_green_check(&self, step: usize) -> Option<StepEnd> {
        let calibration = self.state.steps[step - 1].calibration.as_ref();
        let reports = calibration.filter(|_| self.is_untouched(step))?;
        checks_not_red_at_start(self.plan(step), reports).map(StepEnd::CannotCheck)
    }

    /// Records the results of the checks before the first iteration, and goes on with the step.
    pub(super) fn calibrated(&mut self, now: Now, step: usize, checks: Vec<CheckReport>) {
        for message in checks.iter().filter_map(green_check_warning) {
            self.emit(now, EventKind::Warning { message });
        }
        self.emit(now, EventKind::Calibrated { step, checks });
        self.continue_step(now, step);
    }
}
