//! Checks that run no program.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use forkhestra_core::event::AuxJobResult;
use forkhestra_core::id::UnitId;
use forkhestra_core::policy::TaskQuery;

use crate::aux_job::aux_job_command::{AuxJobContext, AuxJobFacts, PreparedAuxJob};
use crate::task_tracker::TaskTracker;

/// Whether a file exists.
pub(super) fn file(path: &str, context: &AuxJobContext<'_>) -> AuxJobResult {
    match fs::metadata(context.directory().join(path)) {
        Ok(_) => passed(None),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let committed = context.room.map_or("", |_| " in what is committed");
            failed(format!("there is no `{path}`{committed}"))
        }
        Err(error) => failed(format!("`{path}` cannot be looked at: {error}")),
    }
}

/// Whether the agent exited with 0.
pub(super) fn exit_code(facts: &AuxJobFacts<'_>) -> AuxJobResult {
    match facts.report.and_then(|report| report.end.as_ref()) {
        Some(end) if end.is_success() => passed(None),
        Some(end) => failed(format!("the agent's end: {end}")),
        None => failed("it is not known how the agent ended".to_owned()),
    }
}

/// Whether the task database meets a check. The database may have been created after the run was
/// planned.
pub(super) fn tasks(unit: UnitId, number: usize, context: &AuxJobContext<'_>) -> PreparedAuxJob {
    let tracker = TaskTracker::new(Arc::clone(context.tasks), context.state);
    let step = context.step(unit.step).clone();
    let check = step.checks[number - 1].clone();
    let before = &context.state.steps[unit.step - 1].before;
    let question = TaskQuery::of_check(&check.value.check, before);
    PreparedAuxJob::Slow(Box::new(move || tracker.task_work(&question).check_result(&step, &check)))
}

/// The result of a passed check.
pub(super) fn passed(message: Option<String>) -> AuxJobResult {
    AuxJobResult { passed: Some(true), message, tail: None }
}

/// The result of a failed check.
pub(super) fn failed(message: String) -> AuxJobResult {
    AuxJobResult { passed: Some(false), message: Some(message), tail: None }
}
