//! The whole program with real processes: whatever agents, readers and signals do, a run ends as it
//! should, can be resumed, and leaves nothing behind. That nothing is left is looked at after every
//! test, by [`support::World`].

#![cfg(target_os = "linux")]

mod backstop;
mod demo;
mod detached;
mod ending;
mod errands;
mod following;
mod following_events;
mod job_control;
mod killing;
mod notify;
mod readers;
mod resuming;
mod signals;
mod steering;
mod steering_socket;
mod support;
mod terminal;
mod views;
mod watching;
mod watching_in_tmux;
mod work_tree;

/// The program under test.
const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
