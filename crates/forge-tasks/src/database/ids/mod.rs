//! The next free task id.

pub(crate) mod counter;
pub(crate) mod highest;
pub(crate) mod highest_id;
