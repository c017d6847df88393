//! The search for the iteration of a run that broke something.

pub(crate) mod bisect_range;
pub(crate) mod bisect_search;
pub(crate) mod trial_plan;
