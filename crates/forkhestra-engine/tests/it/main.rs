//! The engine with real processes.

mod agent_surroundings;
mod collecting;
mod ending;
mod job_control;
mod signals;
mod spawn_errors;
mod support;
mod sweeping;
mod terminal;
