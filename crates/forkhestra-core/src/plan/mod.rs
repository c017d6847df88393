//! The plan of a run: everything resolved, nothing left to look up, each value knowing where it
//! came from.
//!
//! [`build()`] makes a plan of what was asked ([`PlanRequest`]), of the config files
//! ([`ConfigLayers`](crate::config::ConfigLayers)) and of what is there ([`HostEnvironment`]). The plan is plain
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
pub use build::{BuiltPlan, build};
pub use inventory::{AgentSummary, ChainSummary, ConfigInventory, StepSummary, inventory};
pub use origin::{Sourced, ValueOrigin};
pub use replay::{Replay, ReplaySpeed, ReplaySpeedParseError};
pub use request::{PlanDefaults, PlanRequest, RequestedPrompt, RequestedReplay, RunTarget};
pub use surroundings::{
    FileState, HostEnvironment, NotRunnableReason, ProgramLocation, RecordedStep,
};
pub use task_option::work_on;
pub use types::{
    AgentKind, AgentProgram, CleanRoom, DirectSpawn, EnvVars, ModuleRunner, ModuleRunnerKind, Plan,
    PlanAgent, PlanCheck, PlanHook, PlanStep, Prompt, Protection,
};
