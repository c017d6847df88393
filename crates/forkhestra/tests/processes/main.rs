//! The whole program with real processes: whatever agents, readers and signals do, a run ends as it
//! should, can be resumed, and leaves nothing behind. That nothing is left is looked at after every
//! test, by [`support::World`].

#![cfg(target_os = "linux")]

mod aux_jobs;
mod control_socket;
mod demo;
mod detached;
mod ending;
mod job_control;
mod killing;
pub(crate) mod observers;
mod resuming;
mod signals;
mod steering;
mod support;
mod terminal;
mod work_tree;

/// The program under test.
const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
