//! The whole program with real processes: whatever agents, readers and signals do, a run ends as it
//! should, can be resumed, and leaves nothing behind. That nothing is left is looked at after every
//! test, by [`support::World`].

#![cfg(target_os = "linux")]

mod backstop;
mod demo;
mod ending;
mod errands;
mod following;
mod job_control;
mod killing;
mod readers;
mod resuming;
mod signals;
mod support;
mod terminal;
mod views;
mod work_tree;

/// The program under test.
const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
