//! What is said of one thing that happened, without what stands around it.

use std::time::Duration;

use forkhestra_core::event::{Cancel, Ending, IterationReport, StepEnd, Verdict};
use forkhestra_core::id::UnitId;

use super::duration::spoken;
use super::reason;
use super::status::failed;
use super::tally::StepTally;

/// What an iteration is called.
pub(super) fn label(step: &StepTally, unit: UnitId) -> String {
    match step.most {
        Some(most) => format!("Iteration {}/{most}", unit.iteration),
        None => format!("Iteration {}", unit.iteration),
    }
}

/// What became of an iteration of a loop, if it did not simply come to its end.
pub(super) fn iteration_finished(
    step: &StepTally,
    unit: UnitId,
    report: &IterationReport,
) -> Option<String> {
    let label = label(step, unit);
    let ended = |why| Some(format!("{label} ended by us: {}", reason::ending(why)));
    match (&report.verdict, step.ending) {
        // The end of the step says it.
        _ if step.most.is_none() => None,
        (Verdict::Ended(Ending::Cancelled) | Verdict::Interrupted, _) => None,
        (Verdict::Ended(why), _) => ended(*why),
        (Verdict::Complete(_), Some(why @ Ending::Lingering)) => ended(why),
        (Verdict::Crashed, _) => Some(format!("{label} failed{}", last_end(step))),
        (Verdict::Complete(_) | Verdict::Incomplete, _) => None,
    }
}

/// Why the next iteration waits, and how long.
pub(super) fn backing_off(step: &StepTally, crashes: u32, delay: Duration) -> String {
    let (failed, delay) = (failed(crashes), spoken(delay));
    format!("{} {failed}{}, waiting {delay}", step.name, last_end(step))
}

fn last_end(step: &StepTally) -> String {
    let end = step.last_end.as_ref();
    end.map_or_else(String::new, |end| format!(" ({})", reason::agent_end(end)))
}

/// The last line of a step.
pub(super) fn step_finished(step: &StepTally, end: &StepEnd) -> String {
    let iterations = reason::count(step.iterations, "iteration");
    match (step.most, end) {
        (None, StepEnd::Complete(_)) => format!("Done: {}{}", step.name, last_end(step)),
        (None, StepEnd::Cancelled) => format!("Interrupted: {}", step.name),
        (None, end) => {
            let why = reason::cause(end).unwrap_or_else(|| end.word().to_owned());
            format!("Failed: {} ({why})", step.name)
        }
        (Some(_), StepEnd::Complete(_)) => format!("Complete after {iterations}"),
        (Some(_), end) => {
            let why = reason::cause(end).map_or_else(String::new, |cause| format!(": {cause}"));
            format!("Incomplete after {iterations}{why} ({})", end.word())
        }
    }
}

/// Who wants the run to end.
pub(super) fn cancelled(by: Cancel) -> String {
    let why = reason::cancel(by);
    match by {
        Cancel::Interrupt | Cancel::Terminate | Cancel::Hangup => {
            format!("Interrupted ({why}): ending agents; a second signal kills them at once")
        }
        Cancel::OutputClosed | Cancel::GuardLost => format!("Interrupted ({why}): ending agents"),
    }
}
