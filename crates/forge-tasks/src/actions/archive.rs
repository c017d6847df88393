//! Moving tasks to the archive and back.

use crate::database::{Scope, Shelf, Stored, Writer};
use crate::document::Front;
use crate::{IdQuery, Status, TaskId};

use super::{ActionError, done};

/// Moves tasks to the archive. If one of them is not there to be moved, none is.
pub fn archive(writer: &mut Writer, ids: &[IdQuery]) -> Result<Vec<TaskId>, ActionError> {
    let mut wanted: Vec<Stored<Front>> = Vec::new();
    for id in ids {
        let stored = writer.database().find(id)?;
        let task = done::read(&stored)?;
        if task.shelf == Shelf::Archive {
            return Err(ActionError::Refused(format!(
                "{} is archived already",
                task.content.front.id
            )));
        }
        if wanted.iter().all(|known| known.file != task.file) {
            let Stored { shelf, file, content } = task;
            wanted.push(Stored { shelf, file, content: content.front });
        }
    }
    put_away(writer, wanted)
}

/// Moves tasks out of the archive. If one of them is not there to be moved, none is.
pub fn unarchive(writer: &mut Writer, ids: &[IdQuery]) -> Result<Vec<TaskId>, ActionError> {
    let mut wanted: Vec<Stored<Front>> = Vec::new();
    for id in ids {
        let stored = writer.database().find(id)?;
        let Stored { shelf, file, content } = done::read(&stored)?;
        if shelf != Shelf::Archive {
            return Err(ActionError::Refused(format!("{} is not archived", content.front.id)));
        }
        if wanted.iter().all(|known| known.file != file) {
            wanted.push(Stored { shelf, file, content: content.front });
        }
    }
    let mut ids = Vec::with_capacity(wanted.len());
    for task in wanted {
        if let Err(source) = writer.unarchive(&task) {
            return Err(ActionError::after(&ids, "unarchived", source));
        }
        ids.push(task.content.id);
    }
    Ok(ids)
}

/// Moves every task that is Done to the archive.
pub fn archive_done(writer: &mut Writer) -> Result<Vec<TaskId>, ActionError> {
    let active = writer.database().fronts(Scope::Active)?;
    let done = active.tasks.into_iter().filter(|task| task.content.status == Status::Done);
    put_away(writer, done.collect())
}

fn put_away(writer: &mut Writer, tasks: Vec<Stored<Front>>) -> Result<Vec<TaskId>, ActionError> {
    let mut ids = Vec::with_capacity(tasks.len());
    for task in tasks {
        if let Err(source) = writer.archive(&task) {
            return Err(ActionError::after(&ids, "archived", source));
        }
        ids.push(task.content.id);
    }
    Ok(ids)
}
