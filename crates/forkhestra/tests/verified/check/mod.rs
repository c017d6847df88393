//! Checks that decide whether a claim of completion holds.

pub(crate) mod checks;
pub(crate) mod context;
pub(crate) mod feedback;
pub(crate) mod misbehaving;
pub(crate) mod modules;
pub(crate) mod tasks_check;
