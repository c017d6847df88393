//! Why something is not played, or not to its end.

use std::io;

use forkhestra_store::recording::RecordingError;

use crate::cli::command_error::in_full;

/// Why something is not played, or not to its end.
#[derive(Debug)]
pub(crate) enum ReplayError {
    /// It is impossible, for this reason.
    Cannot(String),
    /// Nobody reads it.
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
