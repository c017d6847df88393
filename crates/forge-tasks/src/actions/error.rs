//! Errors of actions.

use crate::TaskId;
use crate::database::{DatabaseError, FindTaskError};
use crate::document::{BrokenTask, TaskEditError};
use crate::words::join_with_and;

/// Why an action failed. Nothing was changed, unless the message states otherwise.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// The directory or a file of it cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Find(#[from] FindTaskError),
    /// The edit of a task was refused.
    #[error("{id}: {why}")]
    Edit {
        id: TaskId,
        /// The reason.
        why: TaskEditError,
    },
    /// A file is not a task any more.
    #[error("{file} {why}")]
    Broken {
        /// The name of the file.
        file: String,
        why: BrokenTask,
    },
    /// The action failed after a part of it was done.
    #[error("{source}; before that, {done}")]
    Partly { done: String, source: DatabaseError },
    /// Another process changed the chosen task without the lock.
    #[error("{0} is being changed by another process; try again")]
    Overtaken(TaskId),
    /// The request was refused; the reason, in a line.
    #[error("{0}")]
    Refused(String),
}

impl ActionError {
    /// An error after these tasks were changed.
    pub(super) fn after(ids: &[TaskId], deed: &str, source: DatabaseError) -> Self {
        if ids.is_empty() {
            return source.into();
        }
        let ids: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
        let verb = if ids.len() == 1 { "was" } else { "were" };
        Self::Partly { done: format!("{} {verb} {deed}", join_with_and(&ids)), source }
    }

    /// Whether the error concerns the file of one task only.
    pub(super) fn is_about_one_file(&self) -> bool {
        match self {
            Self::Find(FindTaskError::Database(_)) => false,
            Self::Edit { .. } | Self::Broken { .. } | Self::Find(_) => true,
            Self::Database(_) | Self::Partly { .. } | Self::Overtaken(_) | Self::Refused(_) => {
                false
            }
        }
    }
}
