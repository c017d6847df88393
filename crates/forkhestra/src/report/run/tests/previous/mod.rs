//! The reporter as it was before it read the history of the core. It is compared with the new one,
//! and deleted with the next change.

mod current_activity;
pub(crate) mod human_reporter;
mod run_tally;
mod sentence;
mod steering;
mod summary;

use crate::report::run::{colors, details, duration, reason};
