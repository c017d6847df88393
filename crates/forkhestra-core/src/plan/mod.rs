//! The plan of a run: everything resolved, with the origin of each value.
//!
//! [`build()`] creates a plan from a [`PlanRequest`], the config files
//! ([`ConfigLayers`](crate::config::ConfigLayers)) and the host ([`HostEnvironment`]). The plan is
//! plain data: `--dry-run` prints it, and a run executes it.

pub(crate) mod agent;
mod cached_host;
pub(crate) mod check;
mod error;
mod fallback;
pub(crate) mod flow;
mod hooks;
mod host_environment;
mod inventory;
pub(crate) mod lanes;
mod pinned_program;
mod plan_builder;
mod plan_request;
mod recorded;
mod replay;
mod replay_steps;
mod sandbox;
pub(crate) mod step;
mod types;
mod value_origin;

#[cfg(test)]
mod tests;

pub use crate::limit::{RunLimits, StepLimits};
pub use agent::plan_agent::{AgentKind, AgentProgram, DirectSpawn, EnvVars, PlanAgent};
pub use agent::resolve::{is_system_program, resolve_agent};
pub use agent::task_option::work_on;
pub use check::plan_check::{
    CleanRoom, ModuleRunner, ModuleRunnerKind, PlanCheck, PlanHook, Protection,
};
pub use fallback::step_fallback::{BackendRole, StepFallback};
pub use flow::flow_bound::FlowBound;
pub use flow::plan_flow::{Flow, FlowGroup, FlowStage};
pub use flow::plan_question::PlanQuestion;
pub use host_environment::{
    FileState, HostEnvironment, NotRunnableReason, ProgramLocation, RecordedStep,
};
pub use inventory::{AgentSummary, ChainSummary, ConfigInventory, StepSummary, inventory};
pub use lanes::best_of::{BestOf, BestPick, PickScript};
pub use lanes::lane_settings::LaneSettings;
pub use lanes::laned_stage::LanedStage;
pub use pinned_program::PinnedProgram;
pub use plan_builder::{BuiltPlan, build};
pub use plan_request::{
    PlanDefaults, PlanRequest, RecordedPlan, RequestedPrompt, RequestedReplay, RunTarget,
    SandboxRequest,
};
pub use replay::{Replay, ReplaySpeed, ReplaySpeedParseError};
pub use sandbox::{
    LevelObstacle, LevelSupport, SANDBOX_VARIABLE, SandboxLevel, SandboxMechanism, SandboxSupport,
    StepSandbox, StepSandboxes,
};
pub use types::{Plan, PlanCondition, PlanStep, Prompt, RoundCheck};
pub use value_origin::{Sourced, ValueOrigin};
