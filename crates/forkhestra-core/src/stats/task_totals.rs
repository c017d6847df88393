//! The tasks of many runs.

use std::collections::BTreeMap;

use super::run_statistics::RunStatistics;
use super::task_statistics::{TaskOutcome, TaskStatistics};
use crate::cost::Spend;

/// A task over all runs that worked on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TaskTotals {
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

    fn add(&mut self, run: usize, task: &TaskStatistics) {
        self.title.clone_from(&task.title);
        self.outcome = task.outcome;
        self.runs += 1;
        self.iterations += task.iterations;
        if let Some(spend) = task.spend {
            self.spend = Some(self.spend.unwrap_or_default() + spend);
        }
        self.finished_by = match (task.outcome, task.finished_by) {
            (TaskOutcome::Done, Some(agent)) => Some((run, agent)),
            (TaskOutcome::Done, None) => self.finished_by,
            _ => None,
        };
    }
}

/// Adds up the tasks of runs, oldest first. The same id in the same directory is the same task.
pub(super) fn tasks_of(runs: &[RunStatistics]) -> Vec<TaskTotals> {
    let mut tasks: BTreeMap<(&str, &str), TaskTotals> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        for task in &run.tasks {
            let key = (run.working_directory.as_str(), task.id.as_str());
            let entry = tasks.entry(key).or_insert_with(|| TaskTotals {
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
    }
    tasks.into_values().collect()
}
