//! Calibration: checks that run before the first iteration of a step. One that passes there proves nothing.

use crate::check::CheckSpec;
use crate::event::CheckReport;
use crate::explain::check_name;
use crate::plan::{PlanCheck, PlanStep};

/// Beginning of the reason for a step that is not started.
const GREEN_AT_START: &str = "a check that must fail first passes before the first iteration: ";

/// Whether a check can run without an agent.
pub const fn is_calibratable(check: &CheckSpec) -> bool {
    match check {
        CheckSpec::Marker(_) | CheckSpec::ExitCode => false,
        CheckSpec::Command(_)
        | CheckSpec::File(_)
        | CheckSpec::Tasks
        | CheckSpec::Task(_)
        | CheckSpec::Planned
        | CheckSpec::Script(_) => true,
    }
}

/// The numbers of the checks that run before the first iteration: all of a step that is calibrated, and those that must
/// fail first.
pub fn checks_to_calibrate(step: &PlanStep) -> Vec<usize> {
    let is_due = |check: &PlanCheck| {
        (step.calibrate || check.must_fail_first) && is_calibratable(&check.check)
    };
    let checks = (1..).zip(&step.checks).filter(|(_, check)| is_due(&check.value));
    checks.map(|(number, _)| number).collect()
}

/// The warning about a check that passed before the first iteration.
pub fn green_check_warning(report: &CheckReport) -> Option<String> {
    report.passed().then(|| {
        format!(
            "the check `{}` passes before the first iteration, so that it does not prove the work",
            check_name(&report.name)
        )
    })
}

/// Why the work of a step cannot be checked: checks that must fail first passed before the first iteration.
pub fn checks_green_at_start(step: &PlanStep, reports: &[CheckReport]) -> Option<String> {
    let must_fail = |report: &&CheckReport| {
        let mut strict = step.checks.iter().filter(|check| check.value.must_fail_first);
        report.passed() && strict.any(|check| check.value.display_name() == report.name)
    };
    let green = reports.iter().filter(must_fail);
    let names: Vec<String> = green.map(|report| check_name(&report.name)).collect();
    (!names.is_empty()).then(|| format!("{GREEN_AT_START}{}", names.join(", ")))
}

/// Whether the work of a step cannot be checked because a check passed before the first iteration.
pub fn is_green_at_start(why: &str) -> bool {
    why.starts_with(GREEN_AT_START)
}
