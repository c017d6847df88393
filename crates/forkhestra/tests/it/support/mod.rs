//! Helpers of several test modules.

pub(crate) mod agents_at_work;
pub(crate) mod past_runs;
pub(crate) mod run_in_progress;
