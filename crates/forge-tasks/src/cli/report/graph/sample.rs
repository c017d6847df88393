//! Graphs to show in tests.

use crate::TaskStatus;
use crate::actions::{LeaseCheck, RunRegistry};
use crate::cli::report::graph::task_graph::TaskGraph;
use crate::cli::samples::{front, stored, words};
use crate::database::{DirectoryListing, StoredFile, TaskDirectory};
use crate::document::{FrontMatter, TaskLease};

/// Every run is over.
struct GraphNoRuns;

impl RunRegistry for GraphNoRuns {
    fn is_running(&self, _: &str) -> Option<bool> {
        Some(false)
    }
}

/// Which leases hold.
pub(super) fn leases() -> LeaseCheck<'static> {
    LeaseCheck { runs: &GraphNoRuns, now: jiff::Timestamp::UNIX_EPOCH }
}

/// A task with dependencies.
pub(super) fn task(name: &str, dependencies: &[&str]) -> StoredFile<FrontMatter> {
    let dependencies = words(dependencies);
    let front = FrontMatter { dependencies, ..front(name, &format!("Title of {name}")) };
    stored(&format!("{name}.md"), front)
}

/// A task that is done and archived.
pub(super) fn archived(name: &str) -> StoredFile<FrontMatter> {
    let mut task = task(name, &[]);
    task.directory = TaskDirectory::Archive;
    task.content.status = TaskStatus::Done;
    task
}

/// All tasks there are.
pub(super) fn listing(tasks: &[StoredFile<FrontMatter>]) -> DirectoryListing<FrontMatter> {
    DirectoryListing { tasks: tasks.to_vec(), broken: Vec::new() }
}

/// A graph with a bit of everything.
pub(super) fn graph() -> TaskGraph {
    let mut odd = task("TASK-007", &["TASK-099"]);
    odd.content.title = "Say \"hi\" to <b> #1 `x` \\ \u{1b}[2J\nyou".to_owned();
    odd.content.status = TaskStatus::Blocked;
    let mut going_on = task("TASK-002", &["1"]);
    going_on.content.status = TaskStatus::InProgress;
    going_on.content.lease =
        Some(TaskLease { until: Some(jiff::Timestamp::MAX), run: None, lane: None });
    let all = [
        archived("TASK-001"),
        going_on,
        task("TASK-003", &["TASK-001"]),
        task("TASK-004", &["TASK-002", "TASK-003"]),
        task("TASK-005", &["TASK-006"]),
        task("TASK-006", &["TASK-005"]),
        odd,
        task("TASK-008", &["TASK-006"]),
        task("TASK-009", &[]),
    ];
    TaskGraph::new(&listing(&all), leases())
}
