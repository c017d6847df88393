//! The crash proof.
//!
//! A [`Point`](point::Point) describes where a run is killed. [`chain`] has the chains
//! under test, [`trace`] traces and kills it, [`crash_trial`] resumes it and checks the result, and
//! [`point_search`] does so for all points.

mod args;
mod chain;
mod crash_trial;
mod format;
mod point;
mod point_row;
mod point_sample;
mod point_search;
mod prove;
mod rewinds;
mod system_call;
mod table;
mod tasks;
mod trace;
mod view;
mod watchdog;

pub(crate) use self::args::Args;
pub(crate) use self::prove::run;
