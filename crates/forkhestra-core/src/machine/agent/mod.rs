//! The running agent: its inputs, samples and outcome.

pub(crate) mod agent_inputs;
mod clean_room;
pub(crate) mod inspection;
pub(crate) mod running_agent;
pub(crate) mod stream_facts;
