//! Agents that forkhestra understands: stand-ins that speak like them, and the real programs against a
//! scripted model server. Whatever happens, nothing may be left running.

#![cfg(target_os = "linux")]

mod completing;
mod idle;
mod lines;
mod outcomes;
mod programs;
mod prompts;
mod real;
mod spending;
mod support;
mod uncommitted;
mod waiting;
mod watching;
mod why;

/// The program under test.
const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
