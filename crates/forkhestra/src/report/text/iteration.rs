//! Text about an iteration for people. Events and JSON use other words.

use forkhestra_core::event::{StepEnd, Verdict};
use forkhestra_core::history::IterationRecord;
use forkhestra_core::plan::PlanStep;
use forkhestra_core::policy::refuses_round;

/// The tasks that an iteration worked on: `TASK-003 finished`.
pub(crate) fn tasks(record: &IterationRecord) -> Option<String> {
    let changes = record.tasks.as_ref()?;
    let parts: Vec<String> = changes
        .worked_on()
        .map(|id| {
            let last = changes.changes.iter().rfind(|change| change.id == id);
            format!("{id} {}", last.map_or("", |change| change.kind.label()))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The verdict. The last step of a round that did not accept it neither crashed nor continues.
pub(crate) fn verdict(step: Option<&PlanStep>, record: &IterationRecord) -> &'static str {
    match step {
        Some(step) if is_refusal(step, record) => "not accepted",
        _ => record.report.verdict.label(),
    }
}

/// Whether the iteration of an agent that runs once refused the round that it decided about.
pub(crate) fn is_refusal(step: &PlanStep, record: &IterationRecord) -> bool {
    let decides = step.decides_round && step.iterations.is_none();
    decides
        && match (&record.report.verdict, &record.report.end) {
            (Verdict::Incomplete, _) => true,
            (Verdict::Crashed, Some(end)) => refuses_round(step, &StepEnd::Failed(end.clone())),
            _ => false,
        }
}
