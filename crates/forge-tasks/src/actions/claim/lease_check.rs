//! Whether a lease still holds.

use jiff::Timestamp;

use crate::TaskStatus;
use crate::actions::RunRegistry;
use crate::document::{FrontMatter, TaskLease};

/// Decides at one moment whether leases still hold.
#[derive(Clone, Copy)]
pub struct LeaseCheck<'a> {
    /// Which runs are going on.
    pub runs: &'a dyn RunRegistry,
    /// The moment.
    pub now: Timestamp,
}

impl LeaseCheck<'_> {
    /// Whether a task is In Progress without a valid lease: unfinished work that can be claimed.
    pub fn is_abandoned(&self, task: &FrontMatter) -> bool {
        let is_held = task.lease.as_ref().is_some_and(|lease| !self.is_over(lease));
        task.status == TaskStatus::InProgress && !is_held
    }

    /// Whether a lease has run out, or the run that it was given to has ended.
    fn is_over(&self, lease: &TaskLease) -> bool {
        let has_run_ended =
            lease.run.as_ref().is_some_and(|run| self.runs.is_going_on(run) == Some(false));
        has_run_ended || lease.until.is_none_or(|until| until <= self.now)
    }
}
