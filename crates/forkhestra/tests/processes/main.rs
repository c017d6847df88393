//! The whole program with real processes: whatever agents, readers and signals do, a run ends
//! correctly, can be resumed, and leaves nothing behind. [`support::leftover_check`] checks for
//! leftovers after every test.

#![cfg(target_os = "linux")]

mod aux_jobs;
mod bisect;
mod control_socket;
mod demo;
mod detached;
mod ending;
mod job_control;
mod killing;
mod lanes;
pub(crate) mod observers;
pub(crate) mod questions;
mod resuming;
mod signals;
mod steering;
mod support;
mod terminal;
mod work_tree;

const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
