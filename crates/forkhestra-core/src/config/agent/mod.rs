//! The config entry of an agent.

pub(crate) mod agent_entry;
pub(crate) mod backend;
pub(crate) mod backend_facts;
pub(crate) mod capability;
pub(crate) mod fallback_choice;
pub(crate) mod model_name;
pub(crate) mod replay;
pub(crate) mod setting_problem;
pub(crate) mod tool_spec;
pub(crate) mod tool_support;
