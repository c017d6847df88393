//! Whether a stored run belongs to the work tree from which it would be resumed.
//!
//! Runs are found by the path of their work tree. Another repository may have taken that path, and runs that are stored
//! inside a repository may have come with a clone. Resuming executes what the journal says, so such a run is resumed
//! only if the user names it.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_store::{OriginMatch, RunDir, RunOrigin};

use crate::past_runs::resume_command;
use crate::past_runs::state_home::PROJECT_STATE_DIRECTORY;
use crate::project::project_location::{ProjectLocation, work_tree_of};

/// Whether a run was begun in another work tree, as far as is known. `working_directory` is that of its journal.
pub(crate) fn is_foreign(
    run: &RunDir,
    working_directory: &Path,
    project: &ProjectLocation,
) -> bool {
    match RunOrigin::compare(run, &work_tree_of(working_directory)) {
        OriginMatch::Same => false,
        OriginMatch::Other => true,
        // An older version recorded nothing. A state directory outside of the project did not come with it.
        OriginMatch::Unknown => is_in_project(run, project),
    }
}

fn is_in_project(run: &RunDir, project: &ProjectLocation) -> bool {
    let real = run.path().canonicalize().unwrap_or_else(|_| run.path().to_owned());
    let is_fallback =
        |place: &Path| place.file_name().is_some_and(|name| name == PROJECT_STATE_DIRECTORY);
    real.starts_with(project.work_tree()) || real.ancestors().any(is_fallback)
}

/// The hint that a run is there and has to be named.
pub(crate) fn foreign_run_hint(run: &RunDir, project: &ProjectLocation) -> String {
    let command = resume_command::without_plan(run, project);
    let id = run.run();
    format!(
        "run {id} is stored here, but was not begun in this work tree; to resume it anyway: {command}"
    )
}

/// The warning for a run that is resumed because the user named it.
pub(crate) fn foreign_run_warning(run: &RunDir) -> Diagnostic {
    let id = run.run();
    Diagnostic::warning(format!(
        "run {id} was not begun in this work tree; it is resumed because you named it"
    ))
    .hint("the directory was made again since then, or the run was copied, or came with a clone")
}
