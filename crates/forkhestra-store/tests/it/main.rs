//! Runs on a real disk, and other processes that hold locks or are killed.

mod event_schema;
pub(crate) mod journal;

mod format;

mod helper;

mod move_run;
mod old_views;
mod run_overview;
mod run_removal;
mod work_tree_lock;

mod runs;
mod samples;
mod simulation;
mod strategies;
mod temporary_dir;
mod views;
