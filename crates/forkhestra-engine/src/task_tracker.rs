//! The task database of a run: what is left to do in it, and what agents that are gone still have.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use forkhestra_core::event::TaskChanges;
use forkhestra_core::machine::RunState;
use forkhestra_core::policy::{TaskQuery, TaskWork};

use crate::ports::TaskDatabases;

/// The task database of a run. It may be made only while the run goes on.
#[derive(Clone)]
pub(crate) struct TaskTracker {
    book: Arc<dyn TaskDatabases>,
    planned: Option<PathBuf>,
    project: PathBuf,
    run: String,
}

impl TaskTracker {
    pub(crate) fn new(book: Arc<dyn TaskDatabases>, state: &RunState) -> Self {
        let planned = state.plan.task_database.as_ref().map(PathBuf::from);
        let project = PathBuf::from(&state.plan.working_directory);
        Self { book, planned, project, run: state.run.to_string() }
    }

    fn database(&self) -> Option<PathBuf> {
        self.planned.clone().or_else(|| self.book.find(&self.project))
    }

    /// Whether there may be tasks, which takes hardly any time to tell.
    pub(crate) fn may_exist(&self) -> bool {
        self.database().is_some()
    }

    /// What a step finds in the database.
    pub(crate) fn task_work(&self, question: &TaskQuery) -> TaskWork {
        let found = self.database().map(|database| self.book.task_work(&database, question));
        match found {
            None | Some(TaskWork::NoDatabase) => question.without_database(),
            Some(work) => work,
        }
    }

    /// The ids of the tasks that are not done now; none if they cannot be read.
    pub(crate) fn open_tasks(&self) -> Option<Vec<String>> {
        match self.database() {
            Some(database) => self.book.open_tasks(&database),
            None => Some(Vec::new()),
        }
    }

    /// Remembers what the database holds before an agent is started.
    pub(crate) fn save_baseline(&self) -> Result<(), String> {
        self.book.save_baseline(self.database().as_deref())
    }

    /// What an agent that is gone changed; none if nothing, or if it cannot be compared.
    pub(crate) fn changes(&self) -> Option<TaskChanges> {
        self.book.changes(&self.database()?, &self.run)
    }

    /// Gives back what agents of this run have taken and not finished, none of which may be at work;
    /// or says why that is impossible.
    pub(crate) fn release_tasks(&self) -> Result<(), String> {
        let Some(database) = self.database() else { return Ok(()) };
        let given_back = self.book.release_tasks(&database, &self.run);
        given_back.map_err(|why| format!("not every task can be given back: {why}"))
    }
}

impl fmt::Debug for TaskTracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskDesk").field("planned", &self.planned).finish_non_exhaustive()
    }
}
