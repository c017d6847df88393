//! `forge-tasks check` and its repairs.

pub(crate) mod fix;
pub(crate) mod merge;
pub(crate) mod problems;
