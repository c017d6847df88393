//! The proof itself.
//!
//! A [`Point`](point::Point) says where a run is killed. [`reference_chain`] is what is run, [`trace`] watches and
//! kills it, [`crash_trial`] resumes it and judges what came of that, and [`point_search`] does so for every point
//! there is.

mod args;
mod crash_trial;
mod format;
mod point;
mod point_row;
mod point_search;
mod prove;
mod reference_chain;
mod run_outcomes;
mod system_call;
mod table;
mod tasks;
mod trace;
mod view;
mod watchdog;

pub(crate) use self::args::Args;
pub(crate) use self::prove::run;
