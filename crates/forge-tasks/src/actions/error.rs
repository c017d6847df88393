//! Why something was not done.

use crate::TaskId;
use crate::database::{DatabaseError, FindError};
use crate::document::{Broken, EditError};

/// Why something was not done. Nothing was changed.
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
        why: EditError,
    },
    /// A file that was found is no task any more.
    #[error("{file} {why}")]
    Broken {
        /// The name of the file.
        file: String,
        /// What is wrong with it.
        why: Broken,
    },
    /// What was asked for makes no sense, and why, in a line.
    #[error("{0}")]
    Refused(String),
}
