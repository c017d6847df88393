//! Decides the sandbox of each step by what this machine supports.

use forkhestra_core::config::SandboxChoice;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::Plan;
use forkhestra_engine::sandbox::{examine, find_bubblewrap};

use crate::project::project_location::ProjectLocation;

/// Decides the sandbox of each step. The machine is examined only if a step requests one. A resumed
/// run may get another level by an option.
pub(crate) fn resolve_sandboxes(
    plan: &mut Plan,
    project: &ProjectLocation,
    override_by: Option<SandboxChoice>,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    if !plan.requests_sandbox() && override_by.is_none() {
        return (Vec::new(), Vec::new());
    }
    let bubblewrap = find_bubblewrap(project.environment.path.as_deref());
    let is_strict = |choice: SandboxChoice| choice == SandboxChoice::Strict;
    let requested = plan.steps.iter().filter_map(|step| step.sandbox.as_ref());
    let mut requested = requested.map(|sandbox| sandbox.value.requested).chain(override_by);
    let support = examine(bubblewrap.as_deref(), requested.any(is_strict));
    let found = plan.resolve_sandboxes(&support, override_by);
    found.into_iter().partition(Diagnostic::is_error)
}
