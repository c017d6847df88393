//! The chains under test, and their undisturbed results.

pub(super) mod chain_subject;
pub(super) mod reference_chain;
pub(super) mod run_outcomes;
