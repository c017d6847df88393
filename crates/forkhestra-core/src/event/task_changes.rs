//! An agent's changes to the task database.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::{is_default, words};

/// What changed in the task database while an agent ran.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TaskChanges {
    // One task can have several.
    /// The changes, in the order of the task ids.
    pub changes: Vec<TaskChange>,
    /// The number of tasks of each status afterwards.
    pub counts: TaskCounts,
    // Blocked tasks first, then those In Progress, then those To Do.
    /// The tasks that are not done afterwards, at most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenTask>,
}

/// A task that is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenTask {
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

// In the order in which lists show such tasks.
words! {
    /// The status of a task that is not done.
    #[derive(PartialOrd, Ord, Hash)]
    OpenTaskStatus(word) {
        /// Blocked.
        Blocked = "blocked",
        /// In Progress.
        InProgress = "in_progress",
        /// To Do.
        ToDo = "to_do",
    }
}

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
    #[derive(Hash)]
    TaskChangeKind(wire_word) {
        /// The task is new.
        Created = "created",
        /// It became In Progress, or this agent took it over.
        Claimed = "claimed",
        /// It became Done.
        Finished = "finished",
        /// It became Blocked.
        Blocked = "blocked",
        /// It was In Progress and is To Do again, or forkhestra released it after the agent ended.
        Released = "released",
        /// It was Done or Blocked and is open again.
        Reopened = "reopened",
        /// It was moved to the archive.
        Archived = "archived",
        /// It was moved back from the archive.
        Restored = "restored",
        /// Its file is gone.
        Removed = "removed",
    }
}

/// The number of tasks of each status. Archived tasks do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
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
    /// Task files that cannot be read, if there are any. They are not part of the total.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unreadable: u32,
}

impl TaskChanges {
    /// Most open tasks that are listed.
    pub const MAX_OPEN: usize = 50;

    /// The ids of the tasks that the agent worked on: it claimed, finished or blocked them. Each id
    /// appears once.
    pub fn worked_on(&self) -> impl Iterator<Item = &str> {
        let is_work = |change: &&TaskChange| change.kind.is_work();
        let mut last = None;
        self.changes.iter().filter(is_work).map(|change| change.id.as_str()).filter(move |id| {
            let is_new = last != Some(*id);
            last = Some(*id);
            is_new
        })
    }
}

impl TaskCounts {
    /// The number of tasks that are not done.
    pub const fn open(self) -> u32 {
        self.blocked.saturating_add(self.in_progress).saturating_add(self.to_do)
    }
}

impl TaskChangeKind {
    /// The word shown to users. Events have [another](Self::wire_word).
    pub const fn label(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Claimed => "claimed",
            Self::Finished => "finished",
            Self::Blocked => "blocked",
            Self::Released => "released",
            Self::Reopened => "reopened",
            Self::Archived => "archived",
            Self::Restored => "unarchived",
            Self::Removed => "deleted",
        }
    }

    /// Whether the change means that the agent worked on the task.
    pub const fn is_work(self) -> bool {
        matches!(self, Self::Claimed | Self::Finished | Self::Blocked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_on_lists_claimed_finished_and_blocked_tasks_once() {
        let change = |id: &str, kind| TaskChange {
            id: id.to_owned(),
            title: String::new(),
            kind,
            reason: None,
        };
        let changes = vec![
            change("TASK-1", TaskChangeKind::Created),
            change("TASK-2", TaskChangeKind::Claimed),
            change("TASK-2", TaskChangeKind::Released),
            change("TASK-3", TaskChangeKind::Claimed),
            change("TASK-3", TaskChangeKind::Blocked),
            change("TASK-4", TaskChangeKind::Finished),
            change("TASK-5", TaskChangeKind::Archived),
        ];
        let changes = TaskChanges { changes, counts: TaskCounts::default(), open: Vec::new() };
        let worked_on: Vec<&str> = changes.worked_on().collect();
        assert_eq!(worked_on, ["TASK-2", "TASK-3", "TASK-4"]);
    }
}
