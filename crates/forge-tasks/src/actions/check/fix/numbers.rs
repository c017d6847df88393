//! New numbers for tasks that move.

use crate::actions::ActionError;
use crate::database::{DatabaseError, Writer};
use crate::{Prefix, TaskId};

/// Numbers that no task has, and none had before. They are not taken yet.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    /// The next one, once somebody has asked for one.
    next: Option<u64>,
    /// The highest one that somebody has, or that is promised to somebody.
    known: u64,
    /// The last one that was given.
    last: Option<TaskId>,
}

impl Numbers {
    /// Above every number that is known.
    pub(super) fn above<'a>(known: impl Iterator<Item = &'a TaskId>) -> Self {
        let known = known.map(TaskId::number).max().unwrap_or_default();
        Self { next: None, known, last: None }
    }

    /// Another id of the same kind.
    pub(super) fn give(&mut self, writer: &Writer, old: &TaskId) -> Result<TaskId, ActionError> {
        let number = match self.next {
            Some(number) => number,
            None => writer.next_id()?.number().max(self.known + 1),
        };
        let prefix = Prefix::parse(old.prefix()).expect("an id begins with one");
        let id = TaskId::new(&prefix, number, writer.database().config().zero_padding);
        if TaskId::parse(id.as_str()).is_err() {
            let path = writer.database().path().to_owned();
            return Err(DatabaseError::NoNumbersLeft { path, last: number - 1 }.into());
        }
        self.next = Some(number + 1);
        self.last = Some(id.clone());
        Ok(id)
    }

    /// The last one that was given; none if none was.
    pub(super) fn last(&self) -> Option<&TaskId> {
        self.last.as_ref()
    }
}
