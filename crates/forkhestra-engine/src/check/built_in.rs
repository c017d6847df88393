//! Checks that need no program of the user's.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_core::event::Answer;

use crate::errand_command::{Facts, Place, Prepared};
use crate::setting::TaskBook;

/// Whether a file is there.
pub(super) fn file(path: &str, place: &Place<'_>) -> Answer {
    match fs::metadata(place.directory().join(path)) {
        Ok(_) => passed(None),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let committed = place.room.map_or("", |_| " in what is committed");
            failed(format!("there is no `{path}`{committed}"))
        }
        Err(error) => failed(format!("`{path}` cannot be looked at: {error}")),
    }
}

/// Whether the agent exited with 0.
pub(super) fn exit_code(facts: &Facts<'_>) -> Answer {
    match facts.report.and_then(|report| report.end.as_ref()) {
        Some(end) if end.is_success() => passed(None),
        Some(end) => failed(format!("the agent's end: {end}")),
        None => failed("nobody saw how the agent ended".to_owned()),
    }
}

/// Whether nothing is left to do. A planner may have made the database after the run was planned.
pub(super) fn tasks(place: &Place<'_>) -> Prepared {
    let book = Arc::clone(place.tasks);
    let planned = place.state.plan.task_database.as_ref().map(PathBuf::from);
    let project = place.project().to_owned();
    Prepared::Slow(Box::new(move || left_to_do(&*book, planned, &project)))
}

fn left_to_do(book: &dyn TaskBook, planned: Option<PathBuf>, project: &Path) -> Answer {
    let Some(database) = planned.or_else(|| book.find(project)) else {
        return failed("there is no task database".to_owned());
    };
    match book.left_to_do(&database) {
        Ok(None) => passed(None),
        Ok(Some(left)) | Err(left) => failed(left),
    }
}

/// What is asked for holds.
pub(super) fn passed(message: Option<String>) -> Answer {
    Answer { passed: Some(true), message, tail: None }
}

/// It does not, for this reason.
pub(super) fn failed(message: String) -> Answer {
    Answer { passed: Some(false), message: Some(message), tail: None }
}
