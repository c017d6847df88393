//! The resolved agent of a step.

pub(crate) mod built_in;
pub(crate) mod cost;
pub(crate) mod foreign_model;
pub(crate) mod known_program;
pub(crate) mod overlay;
pub(crate) mod plan_agent;
pub(crate) mod priced_model;
pub(crate) mod quota;
pub(crate) mod resolve;
pub(crate) mod task_option;
