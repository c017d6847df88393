//! Checks that clean rooms are possible: they need git and a repository.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{HostEnvironment, Plan, ProgramLocation};

use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

/// The problem with a plan's clean rooms, which all use the same repository.
pub(super) fn problem(
    plan: &Plan,
    project: &ProjectLocation,
    host: &LocalHost<'_>,
) -> Option<Diagnostic> {
    let step = plan.steps.iter().find(|step| step.clean_room.is_some())?;
    let room = format!("step {}: a clean room is made of what is committed, and", step.number);
    let remedy = "or leave `cleanRoom` and `--clean-room` out";
    if !project.is_in_repository() {
        let place = project.working_directory.display();
        return Some(
            Diagnostic::error(format!("{room} `{place}` is not in a git repository"))
                .hint(format!("make it one with `git init`, and commit something; {remedy}")),
        );
    }
    matches!(host.locate("git"), ProgramLocation::Missing(_)).then(|| {
        Diagnostic::error(format!("{room} git is not installed (not found on PATH)"))
            .hint(format!("install git, {remedy}"))
    })
}
