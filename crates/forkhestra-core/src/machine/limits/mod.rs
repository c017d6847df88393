//! Limits of time and cost.

pub(super) mod cost_limits;
pub(super) mod time_limits;
