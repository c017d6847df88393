//! Runs with groups, rounds, questions, alternatives and conditions.

pub(crate) mod control_flow;
pub(crate) mod reports;
