//! The tasks of many runs.

use std::collections::BTreeMap;

use super::run_statistics::RunStatistics;
use super::task_statistics::{TaskOutcome, TaskStatistics};
use crate::cost::Spend;

/// A task over all runs that worked on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TaskTotals {
    pub(super) working_directory: String,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) outcome: TaskOutcome,
    pub(super) runs: u32,
    pub(super) iterations: u32,
    pub(super) spend: Option<Spend>,
    /// The indices of the run that finished it, and of the agent in that run.
    pub(super) finished_by: Option<(usize, usize)>,
}

impl TaskTotals {
    /// Whether the task is done.
    pub(super) fn is_done(&self) -> bool {
        self.outcome == TaskOutcome::Done
    }

    /// Whether one iteration finished the task and no other worked on it.
    pub(super) fn is_first_try(&self) -> bool {
        self.is_done() && self.iterations == 1
    }

    /// Adds what a run did. The runs come in the order in which they last changed the task.
    fn add(&mut self, run: usize, task: &TaskStatistics) {
        self.title.clone_from(&task.title);
        self.runs += u32::from(task.has_work());
        self.iterations += task.iterations;
        if let Some(spend) = task.spend {
            self.spend = Some(self.spend.unwrap_or_default() + spend);
        }
        // A task that is done and then removed was done.
        if task.outcome == TaskOutcome::Removed && self.is_done() {
            return;
        }
        self.outcome = task.outcome;
        self.finished_by = match (task.outcome, task.finished_by) {
            (TaskOutcome::Done, Some(agent)) => Some((run, agent)),
            (TaskOutcome::Done, None) => self.finished_by,
            _ => None,
        };
    }
}

/// Adds up the tasks that runs worked on. The same id in the same directory is the same task.
pub(super) fn tasks_of(runs: &[RunStatistics]) -> Vec<TaskTotals> {
    let mut tasks: BTreeMap<(&str, &str), TaskTotals> = BTreeMap::new();
    let of_runs = runs.iter().enumerate();
    let mut all: Vec<(usize, &RunStatistics, &TaskStatistics)> = of_runs
        .flat_map(|(index, run)| run.tasks.iter().map(move |task| (index, run, task)))
        .collect();
    all.sort_by_key(|(index, _, task)| (task.changed, *index));
    for (index, run, task) in all {
        let key = (run.working_directory.as_str(), task.id.as_str());
        let entry = tasks.entry(key).or_insert_with(|| TaskTotals {
            working_directory: run.working_directory.clone(),
            id: task.id.clone(),
            title: String::new(),
            outcome: TaskOutcome::Open,
            runs: 0,
            iterations: 0,
            spend: None,
            finished_by: None,
        });
        entry.add(index, task);
    }
    tasks.into_values().filter(|task| task.runs > 0).collect()
}
