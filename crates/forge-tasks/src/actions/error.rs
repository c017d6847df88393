//! Why something was not done.

use crate::TaskId;
use crate::database::{DatabaseError, FindError};
use crate::document::{Broken, TaskEditError};
use crate::words::all_of;

/// Why something was not done. Unless it says otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// The directory or a file of it cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// There is no such task.
    #[error(transparent)]
    Find(#[from] FindError),
    /// A task cannot be changed like this.
    #[error("{id}: {why}")]
    Edit {
        /// The task.
        id: TaskId,
        /// What stands against it.
        why: TaskEditError,
    },
    /// A file that was found is no task any more.
    #[error("{file} {why}")]
    Broken {
        /// The name of the file.
        file: String,
        /// What is wrong with it.
        why: Broken,
    },
    /// Something failed when a part of what was asked for had been done.
    #[error("{source}; before that, {done}")]
    Partly {
        /// What was done.
        done: String,
        /// What failed then.
        source: DatabaseError,
    },
    /// Another process changed the chosen task without the lock.
    #[error("{0} is being changed by another process; try again")]
    Overtaken(TaskId),
    /// What was asked for makes no sense, and why, in a line.
    #[error("{0}")]
    Refused(String),
}

impl ActionError {
    /// What failed after something had been done to these tasks.
    pub(super) fn after(ids: &[TaskId], deed: &str, source: DatabaseError) -> Self {
        if ids.is_empty() {
            return source.into();
        }
        let ids: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
        let verb = if ids.len() == 1 { "was" } else { "were" };
        Self::Partly { done: format!("{} {verb} {deed}", all_of(&ids)), source }
    }

    /// Whether only the file of one task stands against it, and nothing is wrong with the rest.
    pub(super) fn is_about_one_file(&self) -> bool {
        match self {
            Self::Find(FindError::Database(_)) => false,
            Self::Edit { .. } | Self::Broken { .. } | Self::Find(_) => true,
            Self::Database(_) | Self::Partly { .. } | Self::Overtaken(_) | Self::Refused(_) => {
                false
            }
        }
    }
}
