//! Moving tasks to the archive and back.

use crate::database::{Scope, Shelf, Stored, Writer};
use crate::document::Front;
use crate::{IdQuery, Status, TaskId};

use super::{ActionError, done};

/// Moves tasks to the archive, or back to the active tasks. If one of them cannot be moved, none is.
pub fn relocate(
    writer: &mut Writer,
    ids: &[IdQuery],
    to: Shelf,
) -> Result<Vec<TaskId>, ActionError> {
    let mut wanted: Vec<Stored<Front>> = Vec::new();
    for id in ids {
        let stored = writer.database().find(id)?;
        let Stored { shelf, file, content } = done::read(&stored)?;
        if shelf == to {
            let state = if to == Shelf::Archive { "archived already" } else { "not archived" };
            return Err(ActionError::Refused(format!("{} is {state}", content.front.id)));
        }
        if wanted.iter().all(|known| known.file != file) {
            wanted.push(Stored { shelf, file, content: content.front });
        }
    }
    move_all(writer, wanted, to)
}

/// Moves every task that is Done to the archive.
pub fn archive_done(writer: &mut Writer) -> Result<Vec<TaskId>, ActionError> {
    let active = writer.database().fronts(Scope::Active)?;
    let done = active.tasks.into_iter().filter(|task| task.content.status == Status::Done);
    move_all(writer, done.collect(), Shelf::Archive)
}

fn move_all(
    writer: &mut Writer,
    tasks: Vec<Stored<Front>>,
    to: Shelf,
) -> Result<Vec<TaskId>, ActionError> {
    let done = if to == Shelf::Archive { "archived" } else { "unarchived" };
    let mut ids = Vec::with_capacity(tasks.len());
    for task in tasks {
        if let Err(source) = writer.relocate(&task, to) {
            return Err(ActionError::after(&ids, done, source));
        }
        ids.push(task.content.id);
    }
    Ok(ids)
}
