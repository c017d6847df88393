//! Runs what is planned: takes the lock, becomes two processes, and puts engine, journal and screen
//! together. Nothing about a run is decided here.

mod background;
mod compose;
mod control;
mod death_notice;
mod hold;
mod logs;
mod queue;
mod recalled;
mod recorder;
mod recordings;
mod sink;
mod start;
mod task_baseline_file;
mod task_snapshot;
mod tasks;
mod tidy;
mod tools;
mod two_processes;
mod views;

pub(crate) use background::run_here_or_detached;
pub(crate) use hold::{LockRequest, acquire_journal_lock, acquire_work_tree_lock, sweep};
pub(crate) use recorder::resume_recording;
pub(crate) use start::{RunAudience, start};
pub(crate) use tidy::clean_up;
pub(crate) use two_processes::{Execution, execute, release};
pub(crate) use views::rebuild;
