//! What an operator may ask of a run, and how the machine answers.

pub(crate) mod changed_limits;
pub(crate) mod control_requests;
pub(crate) mod pause;
pub(crate) mod stop;
