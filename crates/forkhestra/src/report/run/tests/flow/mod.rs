//! Tests of groups, rounds, questions, alternatives and conditions in the run report.

mod alternatives;
mod flow_script;
mod questions;
mod rounds;
