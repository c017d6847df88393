//! A whole task.

use super::{BrokenTask, FrontMatter, TaskBody, TaskDocument};

/// The parsed content of a task file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub front: FrontMatter,
    pub body: TaskBody,
    /// The whole file.
    pub raw: String,
}

impl Task {
    /// Reads a file.
    pub fn read(document: &TaskDocument) -> Result<Self, BrokenTask> {
        let front = document.front()?;
        Ok(Self { front, body: document.body(), raw: document.text().to_owned() })
    }
}
