//! `forkhestra fork`: a new run that continues from a snapshot of another one.

mod fork_command;
mod fork_here;
mod fork_place;
mod fork_plan;
mod fork_protection;
mod fork_report;

pub(crate) use fork_command::execute;
