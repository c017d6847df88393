//! Decides the sandbox of each step by what this machine supports.

use std::path::Path;

use forkhestra_core::config::SandboxChoice;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::Plan;
use forkhestra_engine::sandbox::{
    examine, find_bubblewrap, working_directory_obstacle, writable_problems,
};

use crate::project::project_location::ProjectLocation;

/// What options of `resume` change in the sandboxes of a run.
#[derive(Debug, Default)]
pub(crate) struct SandboxChanges {
    pub(crate) level: Option<SandboxChoice>,
    /// Further paths that can be written.
    pub(crate) writable: Vec<String>,
}

/// Decides the sandbox of each step. The machine is examined only if a step requests one.
pub(crate) fn resolve_sandboxes(
    plan: &mut Plan,
    project: &ProjectLocation,
    changes: &SandboxChanges,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    if !plan.requests_sandbox() && changes.level.is_none() {
        return (Vec::new(), Vec::new());
    }
    let bubblewrap = find_bubblewrap(project.environment.path.as_deref());
    let is_strict = |choice: SandboxChoice| choice == SandboxChoice::Strict;
    let requested = plan.steps.iter().filter_map(|step| step.sandbox.as_ref());
    let mut requested = requested.map(|sandbox| sandbox.value.requested).chain(changes.level);
    let mut support = examine(bubblewrap.as_deref(), requested.any(is_strict));
    let inherited = &project.environment.inherited;
    let directory = Path::new(&plan.working_directory);
    if let Some(obstacle) = working_directory_obstacle(directory, inherited) {
        for level in [&mut support.guard, &mut support.workspace, &mut support.strict] {
            level.obstacle = Some(obstacle.clone());
        }
    }
    let mut found = plan.resolve_sandboxes(&support, changes.level);
    plan.add_writable(&changes.writable);
    found.extend(writable_problems(plan, inherited));
    found.into_iter().partition(Diagnostic::is_error)
}
