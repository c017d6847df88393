//! Tests with a real disk, and with other processes that hold locks or are killed.

mod event_schema;
mod format;
mod helper;
pub(crate) mod journal;
mod move_run;
mod old_views;
mod run_notes;
mod run_overview;
mod run_removal;
mod runs;
mod samples;
mod simulation;
mod strategies;
mod temporary_dir;
mod views;
mod what_if;
mod work_tree_lock;
