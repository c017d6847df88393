//! The flow of a plan: groups, rounds, questions, alternatives and conditions.

pub(crate) mod chain_line;
pub(crate) mod conditions_and_round_checks;
pub(crate) mod flow_bound;
pub(crate) mod flow_draft;
pub(crate) mod plan_flow;
pub(crate) mod plan_question;
pub(crate) mod question_step;
mod replaced_steps;
