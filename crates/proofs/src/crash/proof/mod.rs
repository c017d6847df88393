//! The crash proof.
//!
//! A [`Point`](point::Point) describes where a run is killed. [`reference_chain`] is the chain
//! under test, [`trace`] traces and kills it, [`crash_trial`] resumes it and checks the result, and
//! [`point_search`] does so for all points.

mod args;
mod crash_trial;
mod format;
mod point;
mod point_row;
mod point_sample;
mod point_search;
mod prove;
mod reference_chain;
mod rewinds;
mod run_outcomes;
mod system_call;
mod table;
mod tasks;
mod trace;
mod view;
mod watchdog;

pub(crate) use self::args::Args;
pub(crate) use self::prove::run;
