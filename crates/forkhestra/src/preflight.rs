//! Checks before a run: what is known to fail is refused before anything starts.

mod agent_programs;
mod bare_word;
mod clean_room;
mod git_identity;
mod hooks;
mod lanes;
mod modules;
mod recording;
mod sandbox;
mod specs;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::Plan;

use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

pub(crate) use agent_programs::{AgentNames, check_agents};
pub(crate) use bare_word::check_bare_word;
pub(crate) use git_identity::{check_git_identity, check_git_signing};
pub(crate) use lanes::{LaneBase, check_lanes};
pub(crate) use modules::module_problem;
pub(crate) use recording::{check_recording, problem};
pub(crate) use sandbox::{SandboxChanges, resolve_sandboxes};
pub(crate) use specs::check_specs;

/// All problems of a plan that do not concern its agents: clean rooms without a repository, check
/// modules that cannot run, and missing hook programs.
pub(crate) fn check_plan(plan: &Plan, project: &ProjectLocation) -> Vec<Diagnostic> {
    let host = LocalHost { project };
    let room = clean_room::problem(plan, project, &host);
    let (modules, hooks) = (modules::problems(plan), hooks::problems(plan, &host));
    room.into_iter().chain(modules).chain(hooks).collect()
}
