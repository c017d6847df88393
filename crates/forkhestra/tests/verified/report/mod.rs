//! Reports of verified runs.

pub(crate) mod end_summary;
pub(crate) mod failure_causes;
pub(crate) mod run_report;
pub(crate) mod task_report;
