//! Which tasks each iteration worked on.

use crate::event::{OpenTaskStatus, TaskChangeKind, TaskChanges};

/// Finds the tasks that each iteration of a run worked on, in the order of the iterations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskAttribution {
    /// The tasks that iterations claimed and neither finished nor released. An iteration that
    /// changes no task continues these.
    in_progress: Vec<String>,
}

impl TaskAttribution {
    /// The tasks that the next iteration worked on: those that it claimed, finished or blocked, or
    /// else those that were in progress.
    pub fn worked_on(&mut self, changes: Option<&TaskChanges>) -> Vec<String> {
        changes.into_iter().for_each(|changes| self.forget_ended(changes));
        let mut worked_on: Vec<String> =
            changes.iter().flat_map(|changes| changes.worked_on()).map(str::to_owned).collect();
        if worked_on.is_empty() {
            worked_on.clone_from(&self.in_progress);
        }
        changes.into_iter().for_each(|changes| self.continue_with(changes));
        worked_on
    }

    /// Drops tasks in progress that ended before an iteration: they are not in progress after it,
    /// and it did not change them.
    fn forget_ended(&mut self, changes: &TaskChanges) {
        let Some(in_progress) = in_progress_after(changes) else { return };
        let is_changed = |id: &str| changes.changes.iter().any(|change| change.id == id);
        self.in_progress.retain(|id| is_changed(id) || in_progress.contains(&id.as_str()));
    }

    /// Records which tasks the next iteration continues.
    fn continue_with(&mut self, changes: &TaskChanges) {
        let in_progress = in_progress_after(changes);
        for change in &changes.changes {
            self.in_progress.retain(|id| *id != change.id);
            let continues = match (change.kind, &in_progress) {
                (TaskChangeKind::Claimed | TaskChangeKind::Released, Some(in_progress)) => {
                    in_progress.contains(&change.id.as_str())
                }
                (TaskChangeKind::Claimed, None) => true,
                _ => false,
            };
            if continues {
                self.in_progress.push(change.id.clone());
            }
        }
    }
}

/// The tasks that are In Progress after an iteration; none if the list is incomplete.
fn in_progress_after(changes: &TaskChanges) -> Option<Vec<&str>> {
    let listed = changes.open.iter().filter(|task| task.status == OpenTaskStatus::InProgress);
    let ids: Vec<&str> = listed.map(|task| task.id.as_str()).collect();
    (ids.len() == changes.counts.in_progress as usize).then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{OpenTask, TaskChange, TaskCounts};

    fn changes(all: &[(&str, TaskChangeKind)], in_progress: &[&str]) -> TaskChanges {
        let change = |(id, kind): &(&str, TaskChangeKind)| TaskChange {
            id: (*id).to_owned(),
            title: String::new(),
            kind: *kind,
            reason: None,
        };
        let open = |id: &&str| OpenTask {
            id: (*id).to_owned(),
            title: String::new(),
            status: OpenTaskStatus::InProgress,
            reason: None,
        };
        let number = u32::try_from(in_progress.len()).expect("there are few");
        TaskChanges {
            changes: all.iter().map(change).collect(),
            counts: TaskCounts { in_progress: number, ..TaskCounts::default() },
            open: in_progress.iter().map(open).collect(),
        }
    }

    #[test]
    fn an_iteration_without_changes_continues_what_is_in_progress() {
        use TaskChangeKind::{Claimed, Finished, Released};
        let mut tasks = TaskAttribution::default();
        let claims = changes(&[("TASK-1", Claimed)], &["TASK-1"]);
        assert_eq!(tasks.worked_on(Some(&claims)), ["TASK-1"]);
        assert_eq!(tasks.worked_on(None), ["TASK-1"], "it continues");
        let finishes = changes(&[("TASK-1", Finished), ("TASK-2", Claimed)], &["TASK-2"]);
        assert_eq!(tasks.worked_on(Some(&finishes)), ["TASK-1", "TASK-2"]);
        let releases = changes(&[("TASK-2", Released)], &[]);
        assert_eq!(tasks.worked_on(Some(&releases)), ["TASK-2"], "it had continued");
        assert_eq!(tasks.worked_on(None), [""; 0], "nothing is in progress");
    }

    #[test]
    fn a_task_that_a_person_ended_is_not_continued() {
        let mut tasks = TaskAttribution::default();
        let claims = changes(&[("TASK-1", TaskChangeKind::Claimed)], &["TASK-1"]);
        tasks.worked_on(Some(&claims));
        let other = changes(&[("TASK-2", TaskChangeKind::Created)], &[]);
        assert_eq!(tasks.worked_on(Some(&other)), [""; 0]);
    }
}
