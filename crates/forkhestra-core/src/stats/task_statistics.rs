//! The statistics of one task in one run.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::cost::Spend;
use crate::event::wire::words;
use crate::event::{TaskChange, TaskChangeKind, TaskChanges, Verdict};
use crate::history::{IterationRecord, TaskAttribution, UnfinishedAgent};
use crate::id::LaneNumber;
use crate::time::Timestamp;

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
    /// When the last attempt that changed it was over. The last change of all runs decides.
    pub changed: Timestamp,
}

impl TaskStatistics {
    /// Whether an agent worked on it, so that the run counts for the task.
    pub(super) const fn has_work(&self) -> bool {
        self.iterations > 0 || self.spend.is_some()
    }
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
    /// In each lane, and in the user's work tree: agents continue what is in progress there.
    attributions: BTreeMap<Option<LaneNumber>, TaskAttribution>,
    tasks: Vec<TaskStatistics>,
    /// The ids of tasks whose status an agent changed.
    changed: BTreeSet<String>,
}

/// What an attempt did, as far as tasks are concerned.
struct AttemptFacts<'a> {
    agent: usize,
    lane: Option<LaneNumber>,
    changes: Option<&'a TaskChanges>,
    /// None if its end is not recorded.
    verdict: Option<&'a Verdict>,
    has_outcome: bool,
    spend: Option<Spend>,
    ended: Timestamp,
}

impl TaskFold {
    /// Folds an attempt of an agent. Returns whether it worked on a task.
    pub(super) fn add(&mut self, agent: usize, record: &IterationRecord) -> bool {
        self.fold(&AttemptFacts {
            agent,
            lane: record.lane,
            changes: record.tasks.as_ref(),
            verdict: Some(&record.report.verdict),
            has_outcome: record.report.has_outcome(),
            spend: record.spend,
            ended: record.ended,
        })
    }

    /// Folds an attempt whose process was killed, with what it spent. Returns whether it worked on a
    /// task.
    pub(super) fn add_killed(
        &mut self,
        agent: usize,
        killed: &UnfinishedAgent,
        spend: Option<Spend>,
    ) -> bool {
        self.fold(&AttemptFacts {
            agent,
            lane: killed.lane,
            changes: killed.tasks.as_ref(),
            verdict: None,
            has_outcome: false,
            spend,
            ended: killed.gone.unwrap_or(killed.started),
        })
    }

    fn fold(&mut self, attempt: &AttemptFacts<'_>) -> bool {
        let all = || attempt.changes.iter().flat_map(|changes| &changes.changes);
        all().for_each(|change| self.apply(attempt, change));
        let attribution = self.attributions.entry(attempt.lane).or_default();
        let worked_on = attribution.worked_on(attempt.changes, attempt.verdict);
        let split = |spend: Spend| spend.split_evenly(worked_on.len());
        for (id, spend) in worked_on.iter().zip(attempt.spend.into_iter().flat_map(split)) {
            let known = &mut self.task(id, attempt.ended).spend;
            *known = Some(known.unwrap_or_default() + spend);
        }
        for id in &worked_on {
            let is_finish =
                |change: &TaskChange| change.id == *id && change.kind == TaskChangeKind::Finished;
            let counts = attempt.has_outcome || all().any(is_finish);
            self.task(id, attempt.ended).iterations += u32::from(counts);
        }
        !worked_on.is_empty()
    }

    /// The tasks that an agent worked on, and those whose status it changed.
    pub(super) fn into_tasks(self) -> Vec<TaskStatistics> {
        let Self { tasks, changed, .. } = self;
        let is_kept = |task: &TaskStatistics| task.has_work() || changed.contains(&task.id);
        tasks.into_iter().filter(is_kept).collect()
    }

    fn apply(&mut self, attempt: &AttemptFacts<'_>, change: &TaskChange) {
        if changes_status(change.kind) {
            self.changed.insert(change.id.clone());
        }
        let task = self.task(&change.id, attempt.ended);
        task.changed = attempt.ended;
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
            TaskChangeKind::Finished => task.finished_by = Some(attempt.agent),
            _ if outcome != TaskOutcome::Done => task.finished_by = None,
            _ => {}
        }
    }

    fn task(&mut self, id: &str, changed: Timestamp) -> &mut TaskStatistics {
        let known = self.tasks.iter().position(|task| task.id == id);
        let index = known.unwrap_or_else(|| {
            self.tasks.push(TaskStatistics {
                id: id.to_owned(),
                title: String::new(),
                outcome: TaskOutcome::default(),
                iterations: 0,
                spend: None,
                finished_by: None,
                changed,
            });
            self.tasks.len() - 1
        });
        &mut self.tasks[index]
    }
}

/// Whether a change decides the outcome of a task on which earlier runs worked.
const fn changes_status(kind: TaskChangeKind) -> bool {
    match kind {
        TaskChangeKind::Claimed
        | TaskChangeKind::Released
        | TaskChangeKind::Reopened
        | TaskChangeKind::Finished
        | TaskChangeKind::Blocked
        | TaskChangeKind::Removed => true,
        TaskChangeKind::Created | TaskChangeKind::Archived | TaskChangeKind::Restored => false,
    }
}
