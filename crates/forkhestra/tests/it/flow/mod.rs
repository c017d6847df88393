//! Groups, rounds, alternatives, conditions and questions.

pub(crate) mod alternatives;
pub(crate) mod conditions;
pub(crate) mod control_flow;
pub(crate) mod lanes;
pub(crate) mod order_of_time;
pub(crate) mod past_flows;
pub(crate) mod protected_files;
pub(crate) mod reports;
pub(crate) mod round_context;
pub(crate) mod rounds_and_limits;
pub(crate) mod usage;
