//! A recording must have a directory of its own.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::Plan;
use forkhestra_store::recording::{Recording, RecordingError};

use crate::cli::command_error::in_full;

/// Why a new run cannot be recorded where somebody wants it to be.
pub(crate) fn check_recording(plan: &Plan) -> Option<Diagnostic> {
    let directory = Path::new(&plan.working_directory).join(plan.record.as_ref()?);
    Recording::check_free(&directory).err().map(|error| problem(&error))
}

/// What is wrong with the directory of a recording, and what to do about it.
pub(crate) fn problem(error: &RecordingError) -> Diagnostic {
    let hint = match error {
        RecordingError::InTheWay(_) | RecordingError::AlreadyThere { .. } => {
            Some("give `--record` a directory that is empty or does not exist yet")
        }
        _ => None,
    };
    let message = format!("the run cannot be recorded: {}", in_full(error));
    Diagnostic::error(message).maybe_hint(hint.map(str::to_owned))
}
