//! Moving tasks to the archive and back.

use crate::actions::ActionError;
use crate::actions::edit::read_task;
use crate::database::{DatabaseWriter, StoredFile, TaskDirectory, TaskScope};
use crate::document::FrontMatter;
use crate::{IdQuery, TaskId, TaskStatus};

/// Moves tasks to the archive, or back to the active tasks. If one of them cannot be moved, none
/// is.
pub fn relocate(
    writer: &mut DatabaseWriter,
    ids: &[IdQuery],
    to: TaskDirectory,
) -> Result<Vec<TaskId>, ActionError> {
    let mut wanted: Vec<StoredFile<FrontMatter>> = Vec::new();
    for id in ids {
        let stored = writer.database().find(id)?;
        let task = read_task(&stored)?.front();
        if task.directory == to {
            let state =
                if to == TaskDirectory::Archive { "archived already" } else { "not archived" };
            return Err(ActionError::Refused(format!("{} is {state}", task.content.id)));
        }
        if wanted.iter().all(|known| known.file != task.file) {
            wanted.push(task);
        }
    }
    move_all(writer, wanted, to)
}

/// Moves every task that is Done to the archive.
pub fn archive_done(writer: &mut DatabaseWriter) -> Result<Vec<TaskId>, ActionError> {
    let active = writer.database().fronts(TaskScope::Active)?;
    let done = active.tasks.into_iter().filter(|task| task.content.status == TaskStatus::Done);
    move_all(writer, done.collect(), TaskDirectory::Archive)
}

fn move_all(
    writer: &mut DatabaseWriter,
    tasks: Vec<StoredFile<FrontMatter>>,
    to: TaskDirectory,
) -> Result<Vec<TaskId>, ActionError> {
    let done = if to == TaskDirectory::Archive { "archived" } else { "unarchived" };
    let mut ids = Vec::with_capacity(tasks.len());
    for task in tasks {
        if let Err(source) = writer.relocate(&task, to) {
            return Err(ActionError::after(&ids, done, source));
        }
        ids.push(task.content.id);
    }
    Ok(ids)
}
