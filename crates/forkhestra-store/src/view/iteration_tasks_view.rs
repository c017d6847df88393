//! The tasks of an iteration.

use forkhestra_core::event::{TaskChangeKind, TaskChanges};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an iteration did with tasks: the ids of the tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IterationTasksView {
    /// Tasks that it claimed and did not finish or block; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claimed: Vec<String>,
    /// Tasks that it finished; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finished: Vec<String>,
    /// Tasks that it blocked; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    /// Tasks of earlier iterations that it gave back, and its own that forkhestra gave back; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<String>,
    /// Tasks that it created; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<String>,
}

impl IterationTasksView {
    /// The view of changes; `None` without one of these.
    pub(super) fn of(changes: &TaskChanges) -> Option<Self> {
        let ids = |kind| -> Vec<String> {
            let changed = changes.changes.iter().filter(|change| change.kind == kind);
            changed.map(|change| change.id.clone()).collect()
        };
        let view = Self {
            claimed: ids(TaskChangeKind::Claimed),
            finished: ids(TaskChangeKind::Finished),
            blocked: ids(TaskChangeKind::Blocked),
            released: ids(TaskChangeKind::Released),
            created: ids(TaskChangeKind::Created),
        };
        (view != Self::default()).then_some(view)
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::event::{TaskChange, TaskCounts};

    use super::*;

    #[test]
    fn tasks_are_listed_by_what_happened_to_them() {
        use TaskChangeKind::{Archived, Blocked, Claimed, Created, Finished, Released};
        let view = |all: &[(&str, TaskChangeKind)]| {
            let change = |(id, kind): &(&str, TaskChangeKind)| TaskChange {
                id: (*id).to_owned(),
                title: String::new(),
                kind: *kind,
                reason: None,
            };
            let changes = all.iter().map(change).collect();
            let counts = TaskCounts::default();
            let view = IterationTasksView::of(&TaskChanges { changes, counts, open: Vec::new() })?;
            Some(serde_json::to_string(&view).expect("texts are JSON"))
        };
        assert_eq!(view(&[]), None);
        assert_eq!(view(&[("TASK-1", Archived)]), None);
        assert_eq!(
            view(&[("TASK-1", Claimed), ("TASK-1", Released), ("TASK-2", Finished)]).as_deref(),
            Some(r#"{"claimed":["TASK-1"],"finished":["TASK-2"],"released":["TASK-1"]}"#)
        );
        assert_eq!(
            view(&[("TASK-3", Blocked), ("TASK-4", Created)]).as_deref(),
            Some(r#"{"blocked":["TASK-3"],"created":["TASK-4"]}"#)
        );
    }
}
