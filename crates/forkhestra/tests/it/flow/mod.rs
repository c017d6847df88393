//! Groups, rounds, alternatives, conditions and questions.

pub(crate) mod control_flow;
pub(crate) mod reports;
