//! Which of several tasks with the same id somebody meant.
//!
//! After a merge, a reference to an id that both sides gave to a task of their own means the task of
//! its own side. Git knows the sides: whoever wrote the reference had the commit that added the task.
//! Where git cannot tell, the times can: nobody refers to what is not there yet.

mod clock;
mod git;
mod graph;
mod history;
mod log;
mod owners;

use std::cell::OnceCell;
use std::path::Path;

use self::history::History;
use crate::database::Stored;
use crate::document::{Front, Key};
use crate::{IdQuery, TaskId};

pub(super) use self::clock::sortable;

/// How it was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// Whoever wrote the reference had this task, and none of the others.
    History,
    /// It was the last one created before the task that refers to it.
    Time,
}

/// A place where a task refers to an id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mention<'a> {
    /// Which task refers to it.
    pub(super) place: usize,
    /// As what: a dependency or the parent.
    pub(super) key: Key,
    /// The id that it refers to.
    pub(super) id: &'a TaskId,
}

impl Mention<'_> {
    /// Whether a version of the task has it.
    pub(super) fn is_in(&self, front: &Front) -> bool {
        match self.key {
            Key::Parent => front.parent.as_ref().is_some_and(|one| means(one, self.id)),
            _ => front.dependencies.iter().any(|one| means(one, self.id)),
        }
    }
}

/// Whether what is written in a file means a task.
pub(super) fn means(written: &str, id: &TaskId) -> bool {
    IdQuery::parse(written).is_ok_and(|query| query.means(id))
}

/// Finds out which tasks are meant. Git is asked once, and only if there is a question.
pub(super) struct Lineage<'a> {
    directory: &'a Path,
    tasks: &'a [Stored<Front>],
    history: OnceCell<Option<History>>,
}

impl<'a> Lineage<'a> {
    /// For all tasks of a directory.
    pub(super) fn new(directory: &'a Path, tasks: &'a [Stored<Front>]) -> Self {
        Self { directory, tasks, history: OnceCell::new() }
    }

    /// The one among several tasks that is meant; none if nobody can tell.
    pub(super) fn meant(
        &self,
        mention: Mention<'_>,
        candidates: &[usize],
    ) -> Option<(usize, Because)> {
        let history = self.history.get_or_init(|| History::read(self.directory, self.tasks));
        let by_history = history.as_ref().and_then(|history| history.meant(mention, candidates));
        by_history
            .map(|place| (place, Because::History))
            .or_else(|| Some((self.by_time(mention.place, candidates)?, Because::Time)))
    }

    fn by_time(&self, referrer: usize, candidates: &[usize]) -> Option<usize> {
        let created = |place: usize| self.tasks[place].content.created_at.as_deref();
        let times: Vec<Option<&str>> = candidates.iter().map(|place| created(*place)).collect();
        clock::last_before(created(referrer)?, &times).map(|at| candidates[at])
    }
}
