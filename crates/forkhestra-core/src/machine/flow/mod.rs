//! Groups, questions and conditions: what happens between the steps of a run.

pub(super) mod conditions;
pub(super) mod questions;
pub(super) mod rounds;
mod step_end;
