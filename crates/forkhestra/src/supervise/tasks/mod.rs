//! The task database of a supervised run.

pub(crate) mod lane_claims;
pub(crate) mod local_lane_tasks;
pub(crate) mod local_task_databases;
pub(crate) mod task_baseline;
pub(crate) mod task_baseline_file;
pub(crate) mod task_holder;
pub(crate) mod task_snapshot;
