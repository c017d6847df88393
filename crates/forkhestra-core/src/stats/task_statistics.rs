//! The statistics of one task in one run.

use serde::{Deserialize, Serialize};

use crate::cost::Spend;
use crate::event::wire::words;
use crate::event::{TaskChange, TaskChangeKind};
use crate::history::{IterationRecord, TaskAttribution};

/// The statistics of one task in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatistics {
    pub id: String,
    pub title: String,
    /// What became of it.
    pub outcome: TaskOutcome,
    /// The iterations that worked on it: those with an outcome, and those that finished it.
    pub iterations: u32,
    /// Its part of what these iterations and their aborted attempts spent; none if unknown.
    pub spend: Option<Spend>,
    /// The agent that finished it, by its index in the run's statistics.
    pub finished_by: Option<usize>,
}

words! {
    /// What became of a task.
    #[derive(Default, Hash)]
    TaskOutcome(as_str) {
        /// It is done.
        Done = "done",
        /// It is blocked.
        Blocked = "blocked",
        /// It is neither done nor blocked.
        #[default]
        Open = "open",
        /// Its file is gone.
        Removed = "removed",
    }
}

/// The tasks of a run while its iterations are folded, in their order.
#[derive(Debug, Default)]
pub(super) struct TaskFold {
    attribution: TaskAttribution,
    tasks: Vec<TaskStatistics>,
}

impl TaskFold {
    /// Folds an attempt of an agent. Returns whether it worked on a task.
    pub(super) fn add(&mut self, agent: usize, record: &IterationRecord) -> bool {
        let changes = record.tasks.as_ref();
        let all = || changes.iter().flat_map(|changes| &changes.changes);
        all().for_each(|change| self.apply(agent, change));
        let worked_on = self.attribution.worked_on(changes, Some(&record.report.verdict));
        let spends = record.spend.into_iter().flat_map(|spend| spend.split_evenly(worked_on.len()));
        for (id, spend) in worked_on.iter().zip(spends) {
            let known = &mut self.task(id).spend;
            *known = Some(known.unwrap_or_default() + spend);
        }
        for id in &worked_on {
            let is_finish =
                |change: &TaskChange| change.id == *id && change.kind == TaskChangeKind::Finished;
            let counts = record.report.has_outcome() || all().any(is_finish);
            self.task(id).iterations += u32::from(counts);
        }
        !worked_on.is_empty()
    }

    /// The tasks that an agent worked on.
    pub(super) fn into_tasks(self) -> Vec<TaskStatistics> {
        let is_work = |task: &TaskStatistics| task.iterations > 0 || task.spend.is_some();
        self.tasks.into_iter().filter(is_work).collect()
    }

    fn apply(&mut self, agent: usize, change: &TaskChange) {
        let task = self.task(&change.id);
        task.title.clone_from(&change.title);
        let outcome = match change.kind {
            TaskChangeKind::Created
            | TaskChangeKind::Claimed
            | TaskChangeKind::Released
            | TaskChangeKind::Reopened => TaskOutcome::Open,
            TaskChangeKind::Finished => TaskOutcome::Done,
            TaskChangeKind::Blocked => TaskOutcome::Blocked,
            // A task that is done and then removed was done.
            TaskChangeKind::Removed if task.outcome == TaskOutcome::Done => TaskOutcome::Done,
            TaskChangeKind::Removed => TaskOutcome::Removed,
            TaskChangeKind::Archived | TaskChangeKind::Restored => task.outcome,
        };
        task.outcome = outcome;
        match change.kind {
            TaskChangeKind::Finished => task.finished_by = Some(agent),
            _ if outcome != TaskOutcome::Done => task.finished_by = None,
            _ => {}
        }
    }

    fn task(&mut self, id: &str) -> &mut TaskStatistics {
        let known = self.tasks.iter().position(|task| task.id == id);
        let index = known.unwrap_or_else(|| {
            self.tasks.push(TaskStatistics {
                id: id.to_owned(),
                title: String::new(),
                outcome: TaskOutcome::default(),
                iterations: 0,
                spend: None,
                finished_by: None,
            });
            self.tasks.len() - 1
        });
        &mut self.tasks[index]
    }
}
