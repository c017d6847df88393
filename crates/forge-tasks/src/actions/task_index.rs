//! Tasks by their ids.

use std::collections::HashMap;

use crate::database::{DirectoryListing, StoredFile};
use crate::document::FrontMatter;
use crate::{IdQuery, TaskStatus};

/// Finds tasks by the references of other tasks.
#[derive(Debug)]
pub struct TaskIndex<'a> {
    tasks: &'a [StoredFile<FrontMatter>],
    by_number: HashMap<u64, Vec<usize>>,
}

impl<'a> TaskIndex<'a> {
    /// Indexes tasks by number. Archived tasks are included, since others may depend on them.
    pub fn new(all: &'a DirectoryListing<FrontMatter>) -> Self {
        let mut by_number: HashMap<u64, Vec<usize>> = HashMap::with_capacity(all.tasks.len());
        for (place, task) in all.tasks.iter().enumerate() {
            by_number.entry(task.content.id.number()).or_default().push(place);
        }
        Self { tasks: &all.tasks, by_number }
    }

    /// All tasks, in the order of their ids.
    pub fn tasks(&self) -> &'a [StoredFile<FrontMatter>] {
        self.tasks
    }

    /// The tasks with an id. More than one only if ids are not unique.
    pub fn meant(&self, query: &IdQuery) -> impl Iterator<Item = &'a StoredFile<FrontMatter>> {
        let places = self.by_number.get(&query.number()).map(Vec::as_slice).unwrap_or_default();
        let tasks = places.iter().map(|place| &self.tasks[*place]);
        tasks.filter(move |task| query.means(&task.content.id))
    }

    /// The tasks that a written reference means.
    pub fn referred(&self, written: &str) -> Vec<&'a StoredFile<FrontMatter>> {
        IdQuery::parse(written).map(|query| self.meant(&query).collect()).unwrap_or_default()
    }

    /// Whether all tasks of a reference exist and are Done.
    pub fn is_done(&self, written: &str) -> bool {
        let referred = self.referred(written);
        !referred.is_empty() && referred.iter().all(|task| task.content.status == TaskStatus::Done)
    }

    /// The dependencies of a task that are not done, as written in the file.
    pub fn waits_for<'b>(&self, task: &'b FrontMatter) -> Vec<&'b str> {
        let dependencies = task.dependencies.iter().map(String::as_str);
        dependencies.filter(|written| !self.is_done(written)).collect()
    }
}
