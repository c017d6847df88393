//! The causes of waits.

pub(super) mod wait_cause;
