//! The state of a run, rebuilt from its events.

pub(crate) mod provider_postponement;
pub(crate) mod quota_state;
pub(crate) mod run_state;
pub(crate) mod step_state;
