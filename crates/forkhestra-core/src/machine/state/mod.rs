//! The state of a run, rebuilt from its events.

pub(crate) mod account_usage_limits;
pub(crate) mod failed_round;
pub(crate) mod flow_position;
pub(crate) mod group_state;
pub(crate) mod limit_change;
pub(crate) mod next_backend;
pub(crate) mod pending_feedback;
pub(crate) mod protected_changes;
pub(crate) mod provider_postponement;
pub(crate) mod question_state;
pub(crate) mod quota_state;
pub(crate) mod run_state;
mod step_counts;
pub(crate) mod step_state;
pub(crate) mod unrestored_files;
