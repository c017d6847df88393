//! Errors of the command line, and their exit codes.

use std::io;

use typeset::console::error_chain;

use super::exit_code;
use crate::actions::ActionError;
use crate::database::{DatabaseError, FindTaskError};

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum TasksCliError {
    /// The message, in a line.
    Wrong(String),
    /// Why `merge-file` did nothing, in a line.
    CannotMerge(String),
    /// The reason why no task can be claimed.
    NothingToClaim(String),
    /// The user declined; the message states what was not done.
    Declined(String),
    /// The reader of the output is gone.
    OutputClosed,
    /// Our output could not be written.
    Output {
        /// What was done before, as in `TASK-001 was created`.
        done: Option<String>,
        why: io::Error,
    },
}

impl TasksCliError {
    /// An error with a message.
    pub(crate) fn wrong(message: impl Into<String>) -> Self {
        Self::Wrong(message.into())
    }

    /// The same, after something had been done that stays done.
    pub(crate) fn after(self, action: &str) -> Self {
        match self {
            Self::Wrong(message) => Self::Wrong(format!("{action}, but {message}")),
            Self::Output { why, .. } => Self::Output { done: Some(action.to_owned()), why },
            other => other,
        }
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Wrong(_) | Self::Declined(_) | Self::Output { .. } => exit_code::ERROR,
            Self::CannotMerge(_) => exit_code::CANNOT_MERGE,
            Self::NothingToClaim(_) => exit_code::NOTHING_TO_CLAIM,
            Self::OutputClosed => exit_code::OUTPUT_CLOSED,
        }
    }
}

impl From<ActionError> for TasksCliError {
    fn from(error: ActionError) -> Self {
        Self::Wrong(error_chain(&error))
    }
}

impl From<DatabaseError> for TasksCliError {
    fn from(error: DatabaseError) -> Self {
        Self::Wrong(error_chain(&error))
    }
}

impl From<FindTaskError> for TasksCliError {
    fn from(error: FindTaskError) -> Self {
        Self::Wrong(error_chain(&error))
    }
}

impl From<io::Error> for TasksCliError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Output { done: None, why: error },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_its_exit_code() {
        let broken = io::Error::from(io::ErrorKind::BrokenPipe);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let codes = [
            TasksCliError::wrong("x"),
            TasksCliError::NothingToClaim("all done".to_owned()),
            TasksCliError::Declined("nothing was deleted".to_owned()),
            TasksCliError::from(broken),
            TasksCliError::from(full),
            TasksCliError::CannotMerge("x".to_owned()),
        ]
        .map(|error| error.exit_code());
        assert_eq!(codes, [1, 3, 1, 141, 1, 129]);
    }
}
