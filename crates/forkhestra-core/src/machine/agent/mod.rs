//! The agent at work: its inputs, its samples and its outcome.

pub(crate) mod agent_inputs;
pub(crate) mod inspection;
pub(crate) mod running_agent;
pub(crate) mod stream_facts;
