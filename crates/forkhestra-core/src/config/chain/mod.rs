//! The config entries of chains, and of the agents, questions and groups in them.

pub(crate) mod alternative_entries;
pub(crate) mod chain_entry;
pub(crate) mod chain_steps;
pub(crate) mod completion_rule;
mod flow_check_validation;
mod from_dsl;
pub(crate) mod group_entry;
pub(crate) mod lanes;
pub(crate) mod on_cycle;
pub(crate) mod on_protected_change;
pub(crate) mod question_entry;
pub(crate) mod refused_keys;
mod repeated_alternatives;
pub(crate) mod stage_entries;
pub(crate) mod stage_entry;
pub(crate) mod step_entry;
