//! Tasks for tests, written in a line.

use jiff::Timestamp;

use crate::database::{DirectoryListing, StoredFile, TaskDirectory};
use crate::document::{FrontMatter, TaskLease};
use crate::{Priority, TaskId, TaskStatus};

/// The moment at which tests happen.
pub(super) const NOW: &str = "2026-11-15T12:00:00.000Z";

pub(super) fn now() -> Timestamp {
    NOW.parse().expect("it is a moment")
}

/// A task that is To Do, with its dependencies after its id: `TASK-2 TASK-1 TASK-7`.
pub(super) fn task(line: &str) -> StoredFile<FrontMatter> {
    let mut words = line.split_whitespace();
    let id = TaskId::parse(words.next().expect("an id comes first")).expect("it is an id");
    let front = FrontMatter {
        title: format!("The task {id}"),
        status: TaskStatus::ToDo,
        priority: None,
        assignee: None,
        labels: Vec::new(),
        dependencies: words.map(str::to_owned).collect(),
        parent: None,
        due_date: None,
        created_at: None,
        updated_at: None,
        landing: None,
        lease: None,
        warnings: Vec::new(),
        id,
    };
    StoredFile { directory: TaskDirectory::Tasks, file: format!("{}.md", front.id), content: front }
}

/// Builder methods for tasks.
pub(super) trait TaskBuilder: Sized {
    fn with(self, change: impl FnOnce(&mut FrontMatter)) -> Self;

    fn status(self, status: TaskStatus) -> Self {
        self.with(|task| task.status = status)
    }

    fn priority(self, priority: Priority) -> Self {
        self.with(|task| task.priority = Some(priority))
    }

    fn child_of(self, parent: &str) -> Self {
        self.with(|task| task.parent = Some(parent.to_owned()))
    }

    fn leased(self, until: &str, run: Option<&str>) -> Self {
        let lease =
            TaskLease { until: until.parse().ok(), run: run.map(str::to_owned), lane: None };
        self.status(TaskStatus::InProgress).with(|task| task.lease = Some(lease))
    }

    fn archived(self) -> Self;
}

impl TaskBuilder for StoredFile<FrontMatter> {
    fn with(mut self, change: impl FnOnce(&mut FrontMatter)) -> Self {
        change(&mut self.content);
        self
    }

    fn archived(mut self) -> Self {
        self.directory = TaskDirectory::Archive;
        self
    }
}

/// Tasks in the order of their ids.
pub(super) fn listing(
    tasks: impl IntoIterator<Item = StoredFile<FrontMatter>>,
) -> DirectoryListing<FrontMatter> {
    let mut tasks: Vec<StoredFile<FrontMatter>> = tasks.into_iter().collect();
    tasks.sort_by(|one, other| (&one.content.id, &one.file).cmp(&(&other.content.id, &other.file)));
    DirectoryListing { tasks, broken: Vec::new() }
}

/// Tasks that are To Do, a line each.
pub(super) fn listed(lines: &[&str]) -> DirectoryListing<FrontMatter> {
    listing(lines.iter().map(|line| task(line)))
}
