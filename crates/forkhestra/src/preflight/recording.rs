//! Checks the directory of a new recording.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::Plan;
use forkhestra_store::recording::{Recording, RecordingError};

use crate::cli::command_error::in_full;

/// The problem with the directory of a new recording, if there is one.
pub(crate) fn check_recording(plan: &Plan) -> Option<Diagnostic> {
    let directory = Path::new(&plan.working_directory).join(plan.record.as_ref()?);
    Recording::check_free(&directory).err().map(|error| problem(&error))
}

/// The error for a recording directory, with a hint.
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
