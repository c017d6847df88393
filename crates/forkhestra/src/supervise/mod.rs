//! Executes a planned run: takes the lock, forks runner and guard, and composes engine, journal and
//! screen. No decision about the run is made here.

mod background;
mod cleanup;
mod compose;
mod control_socket;
mod disk_recordings;
mod killed_notification;
mod lock;
pub(crate) mod output;
mod question_prompt;
mod run_recorder;
mod run_sink;
mod start;
pub(crate) mod tasks;
mod tools;
mod two_processes;
mod view_thread;

pub(crate) use background::run_here_or_detached;
pub(crate) use cleanup::clean_up;
pub(crate) use compose::{sandbox_host, secret_finder_of};
pub(crate) use lock::{
    LockRequest, acquire_journal_lock, acquire_work_tree_lock, lock_work_tree_for_rewind, sweep,
};
pub(crate) use run_recorder::resume_recording;
pub(crate) use start::{NewRun, new_id, start};
pub(crate) use tools::{keeper_program, own_program};
pub(crate) use two_processes::{Execution, execute, release, rewind_scratch};
pub(crate) use view_thread::rebuild;
