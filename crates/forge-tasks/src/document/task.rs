//! A whole task.

use super::{Body, Broken, Front, TaskDocument};

/// Everything a file says about a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// What the front matter says.
    pub front: Front,
    /// What the body says.
    pub body: Body,
    /// The whole file.
    pub raw: String,
}

impl Task {
    /// Reads a file.
    pub fn read(document: &TaskDocument) -> Result<Self, Broken> {
        let front = document.front()?;
        Ok(Self { front, body: document.body(), raw: document.text().to_owned() })
    }
}
