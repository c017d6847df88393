//! Releasing a task.

use jiff::Timestamp;

use crate::database::Writer;
use crate::document::{FrontEdit, Key, Task};
use crate::{IdQuery, Status};

use super::edit::{changed, lease_ends, text};
use super::{ActionError, Done};

/// Releases a task: it is To Do again, without an assignee.
pub fn release(writer: &mut Writer, id: &IdQuery, now: Timestamp) -> Result<Done, ActionError> {
    let give_back = |_: &Writer, task: &Task| {
        let Task { front, .. } = task;
        if front.status != Status::InProgress {
            let why = format!(
                "{} is {}; only what is in progress can be released",
                front.id, front.status
            );
            return Err(ActionError::Refused(why));
        }
        Ok((given_back(), Vec::new()))
    };
    changed(writer, id, now, give_back, Vec::new)
}

/// The edits that release a task.
pub(super) fn given_back() -> Vec<FrontEdit> {
    let mut edits = vec![text(Key::Status, Some(Status::ToDo.name())), text(Key::Assignee, None)];
    edits.extend(lease_ends());
    edits
}
