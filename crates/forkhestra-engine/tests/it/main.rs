//! Integration tests of the engine with real processes.

mod agent_environment;
mod checks;
mod child_processes;
mod ending;
mod hooks;
mod job_control;
mod keepers;
mod lanes;
mod signals;
mod spawn_errors;
mod support;
mod sweeping;
mod terminal;
