//! The task database of a supervised run.

pub(crate) mod local_task_databases;
pub(crate) mod task_baseline_file;
pub(crate) mod task_snapshot;
