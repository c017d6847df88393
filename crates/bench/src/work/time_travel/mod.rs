//! Measurements of earlier states of a run: finding and restoring them.

pub(crate) mod bisect;
pub(crate) mod rewinds;
