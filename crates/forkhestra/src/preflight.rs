//! What can be known to fail is refused before anything runs.

mod agents;
mod bare_word;
mod clean_room;
mod git_identity;
mod hooks;
mod modules;
mod recording;
mod specs;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::Plan;

use crate::project::Project;
use crate::surroundings::RealSurroundings;

pub(crate) use agents::{Names, of_agents};
pub(crate) use bare_word::of_bare_word;
pub(crate) use git_identity::of_git_identity;
pub(crate) use modules::of_module;
pub(crate) use recording::{of_recording, problem};
pub(crate) use specs::of_specs;

/// Everything that stands against a plan, whoever its agents are: clean rooms without a repository,
/// checks that nothing here can run, and hooks that are not there.
pub(crate) fn of_plan(plan: &Plan, project: &Project) -> Vec<Diagnostic> {
    let world = RealSurroundings { project };
    let room = clean_room::problem(plan, project, &world);
    let (modules, hooks) = (modules::problems(plan), hooks::problems(plan, &world));
    room.into_iter().chain(modules).chain(hooks).collect()
}
