//! What came of a deed.

use crate::database::Stored;
use crate::document::{Document, Task};

use super::ActionError;

/// A task after something was done to it.
#[derive(Debug)]
pub struct Done {
    /// The task as it is now.
    pub task: Stored<Task>,
    /// What changed, by the names of the JSON and in their order. Empty if nothing did.
    pub changed: Vec<&'static str>,
    /// What is worth saying, a line each.
    pub warnings: Vec<String>,
}

/// Reads a document that is known to be a task.
pub(super) fn read(document: &Stored<Document>) -> Result<Stored<Task>, ActionError> {
    let Stored { shelf, file, content } = document;
    let broken = |why| ActionError::Broken { file: file.clone(), why };
    let content = Task::read(content).map_err(broken)?;
    Ok(Stored { shelf: *shelf, file: file.clone(), content })
}

/// What differs between two versions of a task, by the names of the JSON. When it was changed is
/// not told, as that is in every change; nor is a lease, which comes and goes with the status.
pub(super) fn differences(old: &Task, new: &Task) -> Vec<&'static str> {
    let differs = [
        ("id", old.front.id.as_str() != new.front.id.as_str()),
        ("title", old.front.title != new.front.title),
        ("status", old.front.status != new.front.status),
        ("priority", old.front.priority != new.front.priority),
        ("assignee", old.front.assignee != new.front.assignee),
        ("labels", old.front.labels != new.front.labels),
        ("dependencies", old.front.dependencies != new.front.dependencies),
        ("parent", old.front.parent != new.front.parent),
        ("dueDate", old.front.due_date != new.front.due_date),
        ("description", old.body.description != new.body.description),
        ("implementationPlan", old.body.plan != new.body.plan),
        ("implementationNotes", old.body.notes != new.body.notes),
        ("acceptanceCriteria", old.body.criteria != new.body.criteria),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}
