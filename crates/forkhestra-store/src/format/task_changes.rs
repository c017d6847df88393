//! What an agent changed in the task database, as events have it.

use forkhestra_core::event;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::words;

/// One change of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskChange {
    /// The id of the task.
    pub id: String,
    /// The title of the task.
    pub title: String,
    /// What changed.
    pub kind: TaskChangeKind,
    /// Why a task is blocked: the last paragraph of its notes, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

words! {
    /// What changed in a task.
    TaskChangeKind {
        Created, Claimed, Finished, Blocked, Released, Reopened, Archived, Restored, Removed,
    }
}

/// How many tasks have which status. Archived tasks do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCounts {
    /// All tasks that can be read.
    pub total: u32,
    /// Tasks that are Done.
    pub done: u32,
    /// Tasks that are Blocked.
    pub blocked: u32,
    /// Tasks that are In Progress.
    pub in_progress: u32,
    /// Tasks that are To Do.
    pub to_do: u32,
    /// Files of tasks that cannot be read, if there are any. They are not part of the total.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A task that is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OpenTask")]
pub struct OpenTaskEntry {
    /// The id of the task.
    pub id: String,
    /// The title of the task.
    pub title: String,
    /// Its status.
    pub status: OpenTaskStatus,
    /// Why a task is blocked: the last paragraph of its notes, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

words! {
    /// The status of a task that is not done.
    OpenTaskStatus { Blocked, InProgress, ToDo }
}

impl From<&event::OpenTask> for OpenTaskEntry {
    fn from(task: &event::OpenTask) -> Self {
        let event::OpenTask { id, title, status, reason } = task.clone();
        Self { id, title, status: status.into(), reason }
    }
}

impl From<OpenTaskEntry> for event::OpenTask {
    fn from(task: OpenTaskEntry) -> Self {
        let OpenTaskEntry { id, title, status, reason } = task;
        Self { id, title, status: status.into(), reason }
    }
}

impl From<&event::TaskChange> for TaskChange {
    fn from(change: &event::TaskChange) -> Self {
        let event::TaskChange { id, title, kind, reason } = change.clone();
        Self { id, title, kind: kind.into(), reason }
    }
}

impl From<TaskChange> for event::TaskChange {
    fn from(change: TaskChange) -> Self {
        let TaskChange { id, title, kind, reason } = change;
        Self { id, title, kind: kind.into(), reason }
    }
}

impl From<event::TaskCounts> for TaskCounts {
    fn from(counts: event::TaskCounts) -> Self {
        let event::TaskCounts { total, done, blocked, in_progress, to_do, unreadable } = counts;
        Self { total, done, blocked, in_progress, to_do, unreadable }
    }
}

impl From<TaskCounts> for event::TaskCounts {
    fn from(counts: TaskCounts) -> Self {
        let TaskCounts { total, done, blocked, in_progress, to_do, unreadable } = counts;
        Self { total, done, blocked, in_progress, to_do, unreadable }
    }
}
