//! What a seed determines: the agents, the chain, and the disturbances of each session.

pub(super) mod agent_script;
pub(super) mod disturbance;
pub(super) mod random;
pub(super) mod random_chain;
pub(super) mod round_script;
pub(super) mod side_effect;
