//! A whole task.

use super::{BrokenTask, FrontMatter, TaskBody, TaskDocument};

/// Everything a file says about a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// What the front matter says.
    pub front: FrontMatter,
    /// What the body says.
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
