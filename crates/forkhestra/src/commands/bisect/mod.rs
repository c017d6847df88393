//! `forkhestra bisect`: finds the iteration that broke something.

mod bisect_command;
pub(crate) mod bisect_range;
pub(crate) mod bisect_search;
mod trial_plan;

pub(crate) use bisect_command::execute;
