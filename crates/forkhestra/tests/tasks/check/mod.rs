//! `forge-tasks check` and its repairs.

pub(crate) mod fix;
pub(crate) mod merge;
pub(crate) mod merge_driver;
pub(crate) mod problems;
