//! Releasing a task.

use jiff::Timestamp;

use crate::database::DatabaseWriter;
use crate::document::{FrontEdit, FrontKey, Task};
use crate::{IdQuery, TaskStatus};

use crate::actions::edit::{changed, lease_ends, text};
use crate::actions::{ActionError, ActionOutcome};

/// Releases a task: it is To Do again, without an assignee.
pub fn release(
    writer: &mut DatabaseWriter,
    id: &IdQuery,
    now: Timestamp,
) -> Result<ActionOutcome, ActionError> {
    let give_back = |_: &DatabaseWriter, task: &Task| {
        let Task { front, .. } = task;
        if front.status != TaskStatus::InProgress {
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
pub(crate) fn given_back() -> Vec<FrontEdit> {
    let mut edits =
        vec![text(FrontKey::Status, Some(TaskStatus::ToDo.name())), text(FrontKey::Assignee, None)];
    edits.extend(lease_ends());
    edits
}
