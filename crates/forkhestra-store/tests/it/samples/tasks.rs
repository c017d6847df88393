//! Sample events about the task database.

use forkhestra_core::event::{
    EventKind, OpenTask, OpenTaskStatus, TaskChange, TaskChangeKind, TaskChanges, TaskCounts,
};

use super::unit;

/// A change of every kind, and a change of the counts only.
pub(super) fn kinds() -> Vec<EventKind> {
    let change = |(number, kind): (usize, TaskChangeKind)| TaskChange {
        id: format!("TASK-{number:03}"),
        title: "Write the \"parser\"".to_owned(),
        kind,
        reason: (kind == TaskChangeKind::Blocked).then(|| "The API key is missing.".to_owned()),
    };
    let changes = (1..).zip(TaskChangeKind::ALL).map(change).collect();
    let counts =
        TaskCounts { total: 14, done: 7, blocked: 1, in_progress: 2, to_do: 4, unreadable: 0 };
    let open = |status: OpenTaskStatus| OpenTask {
        id: "TASK-010".to_owned(),
        title: "Write the \"printer\"".to_owned(),
        status,
        reason: (status == OpenTaskStatus::Blocked).then(|| "The API key is missing.".to_owned()),
    };
    let open = OpenTaskStatus::ALL.map(open).into();
    let some = TaskChanges { changes, counts, open };
    let none = TaskChanges::default();
    [some, none].map(|changes| EventKind::TasksChanged { unit: unit(1), changes }).into()
}
