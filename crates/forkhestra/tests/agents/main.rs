//! Agents that forkhestra understands: stand-ins that speak like them, and the real programs against a
//! scripted model server. Whatever happens, nothing may be left running.

#![cfg(target_os = "linux")]

mod completion;
mod cost_limits;
mod display;
mod idle_timeout;
mod outcomes;
mod programs;
mod prompts;
mod provider_waits;
mod real;
mod scripted_stream;
mod support;
mod uncommitted;
mod why;

/// The program under test.
const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
