//! Whether a task can be claimed now, and whether its lease holds.

use jiff::Timestamp;

use super::claim_task::RunRegistry;
use crate::TaskStatus;
use crate::actions::TaskIndex;
use crate::document::{FrontMatter, TaskLease};

/// Decides at one moment whether leases still hold.
#[derive(Clone, Copy)]
pub struct LeaseCheck<'a> {
    /// Which runs are active.
    pub runs: &'a dyn RunRegistry,
    /// The moment.
    pub now: Timestamp,
}

impl LeaseCheck<'_> {
    /// Whether a task is unfinished work that can be claimed: In Progress without a valid lease, or
    /// done in a lane of a run that is over, so that it does not land.
    pub fn is_abandoned(&self, task: &FrontMatter) -> bool {
        if let Some(landing) = &task.landing {
            return self.runs.is_running(&landing.run) == Some(false);
        }
        let is_held = task.lease.as_ref().is_some_and(|lease| !self.is_over(lease));
        task.status == TaskStatus::InProgress && !is_held
    }

    /// Whether a lease has run out, or the run that it was given to has ended.
    fn is_over(&self, lease: &TaskLease) -> bool {
        let has_run_ended =
            lease.run.as_ref().is_some_and(|run| self.runs.is_running(run) == Some(false));
        has_run_ended || lease.until.is_none_or(|until| until <= self.now)
    }
}

/// Whether a task can be worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskReadiness {
    /// It is To Do, or unfinished while no lease holds, and every dependency is Done.
    Ready,
    /// It is Blocked, or waits for a dependency that is not Done.
    Blocked,
    /// It is In Progress under a lease, waits to land, or is Done.
    Other,
}

/// Decides whether a task can be worked on.
pub fn readiness(
    task: &FrontMatter,
    index: &TaskIndex<'_>,
    leases: LeaseCheck<'_>,
) -> TaskReadiness {
    match task.status {
        TaskStatus::Blocked => TaskReadiness::Blocked,
        TaskStatus::Done => TaskReadiness::Other,
        TaskStatus::InProgress | TaskStatus::Landing if !leases.is_abandoned(task) => {
            TaskReadiness::Other
        }
        _ if index.waits_for(task).is_empty() => TaskReadiness::Ready,
        _ => TaskReadiness::Blocked,
    }
}

#[cfg(test)]
mod tests;
