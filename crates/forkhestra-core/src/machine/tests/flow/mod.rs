//! Groups, rounds, questions, alternatives and conditions.

mod alternatives;
mod conditions;
mod group_limits;
mod histories;
mod properties;
mod questions;
mod resumed_answers;
mod resumes;
mod rounds;
mod skips;
mod support;
