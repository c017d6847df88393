//! Calibration: checks that run before the first iteration of a step. One that passes there proves nothing.

use crate::check::CheckSpec;
use crate::event::{CheckOutcome, CheckReport};
use crate::explain::check_name;
use crate::plan::{PlanCheck, PlanStep};

/// Beginning of the reason for a step that is not started.
const GREEN_AT_START: &str = "a check that must fail first passes before the first iteration: ";

/// Beginning of the reason for a step whose checks gave no result before it.
const UNKNOWN_AT_START: &str =
    "a check that must fail first gave no result before the first iteration: ";

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

/// Why the work of a step cannot be checked: checks that must fail first passed before the first iteration, or gave no
/// result there.
pub fn checks_not_red_at_start(step: &PlanStep, reports: &[CheckReport]) -> Option<String> {
    let strict = step.checks.iter().map(|check| &check.value);
    let strict = strict.filter(|check| check.must_fail_first && is_calibratable(&check.check));
    let (mut green, mut unknown) = (Vec::new(), Vec::new());
    for name in strict.map(PlanCheck::display_name) {
        let report = reports.iter().find(|report| report.name == name);
        match report.map(|report| report.outcome) {
            Some(CheckOutcome::Failed) => {}
            Some(CheckOutcome::Passed) => green.push(check_name(&name)),
            Some(CheckOutcome::TimedOut | CheckOutcome::NotRun) | None => {
                // Without a result of its own, the set-up or the clean room failed.
                let reason = report.or_else(|| reports.iter().find(|report| !report.passed()));
                let reason = reason.and_then(|report| report.message.as_ref());
                let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
                unknown.push(format!("{}{reason}", check_name(&name)));
            }
        }
    }
    if !green.is_empty() {
        return Some(format!("{GREEN_AT_START}{}", green.join(", ")));
    }
    (!unknown.is_empty()).then(|| format!("{UNKNOWN_AT_START}{}", unknown.join(", ")))
}

/// Whether the work of a step cannot be checked because a check passed before the first iteration.
pub fn is_green_at_start(why: &str) -> bool {
    why.starts_with(GREEN_AT_START)
}
