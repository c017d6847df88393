//! The same for the task database: `forge-tasks` is killed at every call of every deed, and each task
//! must be as it was before or as it was to become.
//!
//! A [`TaskCommand`](task_command::TaskCommand) changes a few tasks, a
//! [`TaskListing`](task_listing::TaskListing) is what can be read of them, and [`task_trial`] kills the
//! program and judges what is left.

mod prove_tasks;
mod task_command;
mod task_listing;
mod task_project;
mod task_trial;

pub(super) use self::prove_tasks::run;
