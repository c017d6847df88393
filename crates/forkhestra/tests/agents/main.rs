//! Agents with parsed streams: stand-ins with the same output format, and the real programs against
//! a scripted model server. No test may leave a process running.

#![cfg(target_os = "linux")]

mod completion;
mod cost_limits;
mod display;
mod fallback;
mod idle_timeout;
mod outcomes;
mod past;
mod programs;
mod prompts;
mod provider_waits;
mod quota;
mod real;
mod scripted_stream;
mod support;
mod uncommitted;

const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
