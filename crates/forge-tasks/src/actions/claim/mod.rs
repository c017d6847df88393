//! Claiming and releasing tasks, and which task is ready.

pub(crate) mod blocked_reason;
pub(crate) mod claim_preview;
pub(crate) mod claim_task;
pub(crate) mod lease_check;
pub(crate) mod release;
pub(crate) mod release_run;
pub(crate) mod task_readiness;
