//! The proof for the task database: kills `forge-tasks` at every call of every command. Each task
//! must then be in its old or its new state.
//!
//! A [`TaskCommand`](task_command::TaskCommand) changes a few tasks, a
//! [`TaskListing`](task_listing::TaskListing) is their visible state, and [`task_trial`] kills the
//! program and checks what is left.

mod prove_tasks;
mod task_command;
mod task_listing;
mod task_project;
mod task_trial;

pub(super) use self::prove_tasks::run;
