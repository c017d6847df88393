//! The causes of waits, and the fallback that runs meanwhile.

pub(super) mod fallback_use;
pub(super) mod wait_cause;
