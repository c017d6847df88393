//! Who holds tasks: a run, or one of its lanes.

use std::fmt;

use forge_tasks::document::{FrontMatter, TaskLease};
use forge_tasks::{RunLane, TaskStatus};

/// A run, or one of its lanes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TaskHolder {
    Run(String),
    Lane(RunLane),
}

impl TaskHolder {
    /// Reads a holder as the engine names it.
    pub(crate) fn of(text: &str) -> Self {
        RunLane::parse(text).map_or_else(|_| Self::Run(text.to_owned()), Self::Lane)
    }

    pub(crate) const fn lane(&self) -> Option<&RunLane> {
        match self {
            Self::Run(_) => None,
            Self::Lane(lane) => Some(lane),
        }
    }

    fn run(&self) -> &str {
        match self {
            Self::Run(run) => run,
            Self::Lane(lane) => &lane.run,
        }
    }

    /// Whether a lease was given to an agent of this holder.
    pub(crate) fn has_lease(&self, lease: &TaskLease) -> bool {
        let lane = self.lane().map(|lane| lane.lane);
        lease.run.as_deref() == Some(self.run()) && (lane.is_none() || lease.lane == lane)
    }
}

impl fmt::Display for TaskHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run) => f.write_str(run),
            Self::Lane(lane) => write!(f, "{lane}"),
        }
    }
}

/// The lane in which a task is in progress or waits to land.
pub(crate) fn lane_of(
    status: TaskStatus,
    lease: Option<&TaskLease>,
    landing: Option<&RunLane>,
) -> Option<RunLane> {
    if let Some(landing) = landing {
        return Some(landing.clone());
    }
    let lease = lease.filter(|_| status == TaskStatus::InProgress)?;
    Some(RunLane { run: lease.run.clone()?, lane: lease.lane? })
}

/// The lane in which a task is in progress or waits to land.
pub(crate) fn lane_of_task(task: &FrontMatter) -> Option<RunLane> {
    lane_of(task.status, task.lease.as_ref(), task.landing.as_ref())
}
