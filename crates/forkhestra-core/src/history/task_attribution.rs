//! Which tasks each iteration worked on.

use crate::event::{OpenTaskStatus, TaskChangeKind, TaskChanges, Verdict};

/// Finds the tasks that each iteration of a run worked on, in the order of the iterations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskAttribution {
    /// The tasks that iterations claimed and neither finished nor released. An iteration that
    /// changes no task continues these.
    in_progress: Vec<String>,
    /// The tasks of the last claim to be done, if it was refused. An iteration that changes no task
    /// repairs these.
    refused: Vec<String>,
}

impl TaskAttribution {
    /// The tasks that the next iteration worked on: those that it claimed, finished or blocked, or
    /// else those that were in progress or whose claim was refused. Without a verdict, the iteration
    /// is not over.
    pub fn worked_on(
        &mut self,
        changes: Option<&TaskChanges>,
        verdict: Option<&Verdict>,
    ) -> Vec<String> {
        changes.into_iter().for_each(|changes| self.forget_ended(changes));
        let mut worked_on: Vec<String> =
            changes.iter().flat_map(|changes| changes.worked_on()).map(str::to_owned).collect();
        if worked_on.is_empty() {
            worked_on.clone_from(&self.in_progress);
            let is_new = |id: &&String| !self.in_progress.contains(id);
            worked_on.extend(self.refused.iter().filter(is_new).cloned());
        } else {
            self.refused.clear();
        }
        match verdict {
            Some(Verdict::Refused(_)) => self.refused.clone_from(&worked_on),
            Some(Verdict::Complete(_)) => self.refused.clear(),
            _ => {}
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
    use crate::event::{ClaimRefusal, CompletionSignal, OpenTask, TaskChange, TaskCounts};

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
        assert_eq!(tasks.worked_on(Some(&claims), None), ["TASK-1"]);
        assert_eq!(tasks.worked_on(None, None), ["TASK-1"], "it continues");
        let finishes = changes(&[("TASK-1", Finished), ("TASK-2", Claimed)], &["TASK-2"]);
        assert_eq!(tasks.worked_on(Some(&finishes), None), ["TASK-1", "TASK-2"]);
        let releases = changes(&[("TASK-2", Released)], &[]);
        assert_eq!(tasks.worked_on(Some(&releases), None), ["TASK-2"], "it had continued");
        assert_eq!(tasks.worked_on(None, None), [""; 0], "nothing is in progress");
    }

    #[test]
    fn a_task_that_a_person_ended_is_not_continued() {
        let mut tasks = TaskAttribution::default();
        let claims = changes(&[("TASK-1", TaskChangeKind::Claimed)], &["TASK-1"]);
        tasks.worked_on(Some(&claims), None);
        let other = changes(&[("TASK-2", TaskChangeKind::Created)], &[]);
        assert_eq!(tasks.worked_on(Some(&other), None), [""; 0]);
    }

    #[test]
    fn a_refused_claim_is_repaired_until_it_is_accepted_or_another_task_is_begun() {
        use TaskChangeKind::{Claimed, Created, Finished};
        let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
        let complete = Verdict::Complete(CompletionSignal::File);
        let mut tasks = TaskAttribution::default();
        let finishes = changes(&[("TASK-1", Finished)], &[]);
        assert_eq!(tasks.worked_on(Some(&finishes), Some(&refused)), ["TASK-1"]);
        assert_eq!(tasks.worked_on(None, Some(&refused)), ["TASK-1"]);
        assert_eq!(tasks.worked_on(None, Some(&Verdict::Crashed)), ["TASK-1"]);
        let plans = changes(&[("TASK-2", Created)], &[]);
        assert_eq!(tasks.worked_on(Some(&plans), Some(&Verdict::Incomplete)), ["TASK-1"]);
        let mut other = tasks.clone();
        assert_eq!(tasks.worked_on(None, Some(&complete)), ["TASK-1"], "it is accepted");
        assert_eq!(tasks.worked_on(None, Some(&Verdict::Incomplete)), [""; 0]);
        let claims = changes(&[("TASK-2", Claimed)], &["TASK-2"]);
        assert_eq!(other.worked_on(Some(&claims), Some(&Verdict::Incomplete)), ["TASK-2"]);
        assert_eq!(other.worked_on(None, Some(&Verdict::Incomplete)), ["TASK-2"]);
    }
}
