//! The commands that compare and restore earlier states of a run.

pub(crate) mod diff;
pub(crate) mod rewind;
