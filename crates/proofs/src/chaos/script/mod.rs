//! What a seed decides: the agents, the chain, and what is done to each life of the run.

pub(super) mod agent_script;
pub(super) mod disturbance;
pub(super) mod random;
pub(super) mod random_chain;
pub(super) mod round_script;
pub(super) mod side_effect;
