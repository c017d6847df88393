//! The engine with real processes.

mod agent_surroundings;
mod checks;
mod collecting;
mod ending;
mod hooks;
mod job_control;
mod signals;
mod spawn_errors;
mod support;
mod sweeping;
mod terminal;
