//! The main loop: waits for inputs, runs the machine and performs its effects.
//!
//! The [dispatcher] is one thread with one `poll`. It waits for signals, the guard, the reader of
//! the output, the first output of a process, a terminal while the user is asked something, and the
//! deadline of the machine. Everything else arrives as a [`LoopMessage`](loop_message::LoopMessage)
//! from a thread: output pumps, the worker for git and the work tree, checks. A thread wakes the
//! loop through the pipe of the signals.
//!
//! What runs in one place belongs to a [`WorkplaceExecutor`](workplace_executor::WorkplaceExecutor): one for
//! the user's own work tree, and one for each lane and the merge queue from the first effect for it on.
//! Each has its own output pumps and worker; a message of a thread and an input of the machine name the
//! place. What concerns all lanes is done by a [`LaneService`](lane_service::LaneService) in one thread.
//!
//! - Inputs are handled one by one, in the order of arrival. All effects of one input are performed
//!   before the next input.
//! - An event is recorded by the [`EventSink`](crate::EventSink) before the effect behind it is
//!   performed. If it cannot be recorded, the loop ends with an error.
//! - Slow work (git, hashing, task files) never runs in this thread, so that signals and deadlines
//!   are served at once.
//! - When the loop ends, for whatever reason, all processes of the run are ended, and scratch files
//!   are removed.

pub(crate) mod agents;
pub(crate) mod aux_jobs;
pub(crate) mod dispatcher;
pub(crate) mod lane_service;
pub(crate) mod loop_context;
pub(crate) mod loop_message;
pub(crate) mod messages;
pub(crate) mod operator_notices;
pub(crate) mod process_ends;
pub(crate) mod request_queue;
pub(crate) mod running_process;
pub(crate) mod shared_thread_state;
pub(crate) mod terminal_input;
pub(crate) mod watched_files;
pub(crate) mod workplace_executor;
