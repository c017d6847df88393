//! Errors of a replay.

use std::io;

use forkhestra_store::recording::RecordingError;

use crate::cli::command_error::in_full;

/// Why a recording cannot be played to its end.
#[derive(Debug)]
pub(crate) enum ReplayError {
    Cannot(String),
    /// Standard output has no reader.
    OutputClosed,
}

impl From<RecordingError> for ReplayError {
    fn from(error: RecordingError) -> Self {
        Self::Cannot(in_full(&error))
    }
}

impl From<io::Error> for ReplayError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Cannot(format!("it cannot be printed: {error}")),
        }
    }
}
