//! The outcome of an action.

use std::collections::{BTreeMap, BTreeSet};

use crate::database::StoredFile;
use crate::document::{Criterion, FrontMatterWarning, Task, TaskDocument};

use super::ActionError;

/// A task after an action.
#[derive(Debug)]
pub struct ActionOutcome {
    /// The task after the action.
    pub task: StoredFile<Task>,
    /// The changed fields, by their names in the plain view and in its order.
    pub changed: Vec<String>,
    /// Warnings, a line each.
    pub warnings: Vec<String>,
}

/// Reads a document that is known to be a task.
pub(super) fn read(document: &StoredFile<TaskDocument>) -> Result<StoredFile<Task>, ActionError> {
    let broken = |why| ActionError::Broken { file: document.file.clone(), why };
    Ok(document.with(Task::read(&document.content).map_err(broken)?))
}

/// The fields that differ between two versions of a task, by their names in the plain view and in
/// its order. The time of the change is excluded, and so is the lease, which depends on the status.
pub(super) fn differences(old: &Task, new: &Task) -> Vec<String> {
    let (before, after) = (&old.front, &new.front);
    let was_odd = |is_it: fn(&FrontMatterWarning) -> bool| {
        before.oddities.iter().any(is_it) && !after.oddities.iter().any(is_it)
    };
    let had_odd_status = was_odd(|oddity| {
        matches!(oddity, FrontMatterWarning::UnknownStatus(_) | FrontMatterWarning::NoStatus)
    });
    let had_odd_priority =
        was_odd(|oddity| matches!(oddity, FrontMatterWarning::UnknownPriority(_)));
    let fronts = [
        ("id", before.id.as_str() != after.id.as_str()),
        ("title", before.title != after.title),
        ("status", before.status != after.status || had_odd_status),
        ("priority", before.priority != after.priority || had_odd_priority),
        ("assignee", before.assignee != after.assignee),
        ("labels", before.labels != after.labels),
        ("dependencies", before.dependencies != after.dependencies),
        ("parent", before.parent != after.parent),
        ("dueDate", before.due_date != after.due_date),
        ("description", old.body.description != new.body.description),
        ("plan", old.body.plan != new.body.plan),
    ];
    let differs = fronts.into_iter().filter(|(_, differs)| *differs);
    let mut names: Vec<String> = differs.map(|(name, _)| name.to_owned()).collect();
    names.extend(changed_criteria(&old.body.criteria, &new.body.criteria));
    names.extend((old.body.notes != new.body.notes).then(|| "notes".to_owned()));
    names
}

/// The criteria that are new, gone or different.
fn changed_criteria(old: &[Criterion], new: &[Criterion]) -> Vec<String> {
    let by_number = |criteria: &[Criterion]| -> BTreeMap<u32, Criterion> {
        criteria.iter().map(|criterion| (criterion.index, criterion.clone())).collect()
    };
    let (old, new) = (by_number(old), by_number(new));
    let numbers: BTreeSet<&u32> = old.keys().chain(new.keys()).collect();
    let changed = numbers.into_iter().filter(|number| old.get(number) != new.get(number));
    changed.map(|number| format!("ac.{number}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(front: &str, body: &str) -> Task {
        let text = format!("---\nid: TASK-1\ntitle: T\n{front}---\n{body}");
        let document = TaskDocument::from_bytes(text.into_bytes()).expect("it is a task");
        Task::read(&document).expect("it is a task")
    }

    #[test]
    fn every_difference_has_a_name() {
        let list = "## Acceptance Criteria\n- [ ] a\n- [ ] b\n- [ ] c\n";
        let old = task("status: odd\npriority: odd\n", list);
        assert_eq!(differences(&old, &old), [""; 0]);
        let new = task(
            "status: todo\nassignee: ada\nlabels: [x]\ndependencies: [TASK-2]\nparent: TASK-3\n\
             dueDate: 2026-12-31\n",
            "## Description\nd\n## Implementation Plan\np\n## Acceptance Criteria\n- [ ] a\n- [x] b\n\
             ## Implementation Notes\nn\n",
        );
        assert_eq!(
            differences(&old, &new).join(" "),
            "status priority assignee labels dependencies parent dueDate description plan ac.2 ac.3 notes"
        );
    }
}
