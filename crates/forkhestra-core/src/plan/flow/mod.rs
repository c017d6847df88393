//! The flow of a plan: groups, rounds, questions, alternatives and conditions.

pub(crate) mod flow_definition;
pub(crate) mod flow_draft;
pub(crate) mod flow_steps;
pub(crate) mod plan_flow;
pub(crate) mod plan_question;
mod replaced_steps;
