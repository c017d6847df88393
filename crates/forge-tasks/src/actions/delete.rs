//! Deleting a task.

use super::reference_links::refers_to;
use crate::IdQuery;
use crate::actions::edit::read_task;
use crate::actions::{ActionError, ActionOutcome};
use crate::database::{DatabaseWriter, TaskScope};
use crate::words::join_with_and;

/// Deletes a task. A warning names the tasks that still refer to it.
pub fn delete(writer: &mut DatabaseWriter, id: &IdQuery) -> Result<ActionOutcome, ActionError> {
    let stored = writer.database().find(id)?;
    let task = read_task(&stored)?;
    let all = writer.database().fronts(TaskScope::All)?;
    let id = &task.content.front.id;
    let others = all.tasks.iter().filter(|other| other.file != task.file);
    let names: Vec<&str> = others
        .filter(|other| refers_to(&other.content, id))
        .map(|other| other.content.id.as_str())
        .collect();
    writer.remove(&stored)?;
    let verb = if names.len() == 1 { "refers" } else { "refer" };
    let warning =
        (!names.is_empty()).then(|| format!("{} still {verb} to {id}", join_with_and(&names)));
    Ok(ActionOutcome { warnings: warning.into_iter().collect(), changed: Vec::new(), task })
}
