//! Checks that run no program.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};
use std::sync::Arc;

use forkhestra_core::event::AuxJobResult;
use forkhestra_core::id::UnitId;
use forkhestra_core::policy::TaskQuery;

use crate::aux_job::aux_job_command::{AuxJobContext, AuxJobFacts, PreparedAuxJob};
use crate::task_tracker::TaskTracker;

/// Whether a regular file exists in the working directory; a directory if the path ends with a slash. A link counts if it
/// stays inside.
pub(super) fn file(path: &str, context: &AuxJobContext<'_>) -> AuxJobResult {
    let directory = context.directory();
    let metadata = fs::metadata(directory.join(path.trim_end_matches('/')));
    let wants_directory = path.ends_with('/');
    match metadata {
        Ok(metadata) if metadata.is_dir() && !wants_directory => {
            failed(format!("`{path}` is a directory; `file:{path}/` asks for a directory"))
        }
        Ok(metadata) if wants_directory && !metadata.is_dir() => {
            failed(format!("`{path}` is not a directory"))
        }
        Ok(metadata) if !wants_directory && !metadata.is_file() => {
            failed(format!("`{path}` is not a regular file"))
        }
        Ok(_) if leads_out(directory, path) => {
            failed(format!("`{path}` is a link that leads out of the working directory"))
        }
        Ok(_) => passed(None),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let committed = context.room.map_or("", |_| " in what is committed");
            failed(format!("there is no `{path}`{committed}"))
        }
        Err(error) => {
            let message = Some(format!("`{path}` cannot be looked at: {error}"));
            AuxJobResult { passed: None, message, tail: None }
        }
    }
}

/// Whether links of a path lead to another directory than the path itself says: out of the working directory, or
/// elsewhere if the user named a file outside of it.
fn leads_out(directory: &Path, path: &str) -> bool {
    let is_inside = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let Ok(real) = directory.join(path).canonicalize() else { return true };
    if is_inside {
        return directory.canonicalize().map_or(true, |directory| !real.starts_with(directory));
    }
    let named = directory.join(path);
    fs::symlink_metadata(&named).map_or(true, |metadata| metadata.is_symlink())
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
    let tracker = TaskTracker::new(
        Arc::clone(context.tasks),
        &context.state.plan,
        context.place.task_holder(context.state),
        false,
    );
    let step = context.step(unit.step).clone();
    let check = step.check(number).expect("the machine numbers the checks of the plan").clone();
    let before = &context.state.steps[unit.step - 1].before;
    let question = TaskQuery::of_check(&check.value.check, before);
    let is_condition = step.is_condition(number);
    PreparedAuxJob::Slow(Box::new(move || {
        let work = tracker.task_work(&question);
        if is_condition {
            work.condition_result(&step, &check)
        } else {
            work.check_result(&step, &check)
        }
    }))
}

/// The result of a passed check.
pub(super) fn passed(message: Option<String>) -> AuxJobResult {
    AuxJobResult { passed: Some(true), message, tail: None }
}

/// The result of a failed check.
pub(super) fn failed(message: String) -> AuxJobResult {
    AuxJobResult { passed: Some(false), message: Some(message), tail: None }
}
