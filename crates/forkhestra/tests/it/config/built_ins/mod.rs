//! Agents and chains that come with forkhestra: available without a config file, with the lowest
//! precedence.

mod adjusted;
mod backend;
mod programs;
mod prompts;
mod show_agent;
mod single_task;
