//! The plan of a run: everything resolved, nothing left to look up, each value knowing where it
//! came from.
//!
//! [`build()`] makes a plan of what was asked ([`Request`]), of the config files
//! ([`Layers`](crate::config::Layers)) and of what is there ([`Surroundings`]). The plan is plain
//! data: `--dry-run` prints it, and a run is nothing but its execution.

mod agent;
mod build;
mod built_in;
mod checks;
mod cost;
mod error;
mod files;
mod foreign_model;
mod guards;
mod hooks;
mod inventory;
mod known_program;
mod limits;
mod origin;
mod overlay;
mod play_back;
mod priced_model;
mod prompt;
mod relocate;
mod replay;
mod request;
mod scripts;
mod step;
mod substitute;
mod surroundings;
mod task_option;
mod types;

#[cfg(test)]
mod tests;

pub use crate::limit::{RunLimits, StepLimits};
pub use agent::{is_system_program, resolve_agent};
pub use build::{Planned, build};
pub use inventory::{AgentSummary, ChainSummary, Inventory, StepSummary, inventory};
pub use origin::{Origin, Sourced};
pub use replay::{NotASpeed, Replay, Speed};
pub use request::{Habits, Request, RequestedPrompt, RequestedReplay, What};
pub use surroundings::{FileState, Location, RecordedStep, Surroundings, WhyNotRunnable};
pub use task_option::work_on;
pub use types::{
    Agent, AgentKind, Check, CleanRoom, DirectSpawn, EnvVars, Hook, ModuleRunner, Plan, Program,
    Prompt, Protection, RunnerKind, Step,
};
