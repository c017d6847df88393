//! The task database of a run: open tasks, and the release of tasks that ended agents still claim.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use forkhestra_core::event::TaskChanges;
use forkhestra_core::plan::Plan;
use forkhestra_core::policy::{TaskQuery, TaskWork};

use crate::ports::TaskDatabases;

/// The task database of a run. It may be created while the run goes on.
#[derive(Clone)]
pub(crate) struct TaskTracker {
    book: Arc<dyn TaskDatabases>,
    planned: Option<PathBuf>,
    /// The last one that was found. An agent may have deleted it since.
    found: Arc<Mutex<Option<PathBuf>>>,
    project: PathBuf,
    /// The run, or one of its lanes.
    holder: String,
    /// Whether the holder keeps unfinished tasks between its iterations.
    keeps_tasks: bool,
}

impl TaskTracker {
    /// The database of the user's work tree, which all lanes share.
    pub(crate) fn new(
        book: Arc<dyn TaskDatabases>,
        plan: &Plan,
        holder: String,
        keeps_tasks: bool,
    ) -> Self {
        let planned = plan.task_database.as_ref().map(PathBuf::from);
        let project = PathBuf::from(&plan.working_directory);
        Self { book, planned, found: Arc::default(), project, holder, keeps_tasks }
    }

    fn database(&self) -> Option<PathBuf> {
        self.planned.clone().or_else(|| {
            // A panic cannot leave the value inconsistent.
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            *found = self.book.find(&self.project).or_else(|| found.take());
            found.clone()
        })
    }

    /// Whether there may be tasks. This is cheap.
    pub(crate) fn may_exist(&self) -> bool {
        self.database().is_some()
    }

    /// The state of the tasks for a step.
    pub(crate) fn task_work(&self, question: &TaskQuery) -> TaskWork {
        let found = self.database().map(|database| self.book.task_work(&database, question));
        match found {
            None | Some(TaskWork::NoDatabase) => question.without_database(),
            Some(work) => work,
        }
    }

    /// The state of the tasks for the holder, whose next agent is about to be started.
    pub(crate) fn work_for_holder(&self, question: &TaskQuery) -> TaskWork {
        let work =
            self.database().map(|database| self.book.work_for(&database, &self.holder, question));
        match work {
            None | Some(TaskWork::NoDatabase) => question.without_database(),
            Some(work) => work,
        }
    }

    /// The ids of the tasks that are not Done, or `None` if they cannot be read.
    pub(crate) fn open_tasks(&self) -> Option<Vec<String>> {
        match self.database() {
            Some(database) => self.book.open_tasks(&database),
            None => Some(Vec::new()),
        }
    }

    /// The number of acceptance criteria of each open task that has any.
    pub(crate) fn open_criteria(&self) -> BTreeMap<String, u32> {
        self.database().map(|database| self.book.open_criteria(&database)).unwrap_or_default()
    }

    /// Saves the content of the database before an agent is started.
    pub(crate) fn save_baseline(&self) -> Result<(), String> {
        self.book.save_baseline(self.database().as_deref(), &self.holder)
    }

    /// The changes made by an agent that has ended, or `None` if there are none or they cannot be
    /// compared.
    pub(crate) fn changes(&self) -> Option<TaskChanges> {
        self.book.changes(&self.database()?, &self.holder)
    }

    /// Releases them after an agent, unless the holder keeps them.
    pub(crate) fn release_after_agent(&self) -> Result<(), String> {
        if self.keeps_tasks { Ok(()) } else { self.release_tasks() }
    }

    /// Releases the tasks that agents of the holder have claimed and not finished. None of them may be
    /// active. The error gives the reason why a task could not be released.
    pub(crate) fn release_tasks(&self) -> Result<(), String> {
        let Some(database) = self.database() else { return Ok(()) };
        let given_back = self.book.release_tasks(&database, &self.holder);
        given_back.map_err(|why| format!("not every task can be given back: {why}"))
    }
}

impl fmt::Debug for TaskTracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskTracker").field("planned", &self.planned).finish_non_exhaustive()
    }
}
