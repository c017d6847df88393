//! Control requests of an operator and how the machine answers them.

pub(crate) mod changed_limits;
pub(crate) mod control_requests;
pub(crate) mod pause;
pub(crate) mod stop;
