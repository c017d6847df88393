//! Resumes a run in the background from `forkhestra watch`.

use std::ffi::OsString;

use super::own_process::run_own_program;
use crate::project::project_location::ProjectLocation;

/// Starts `forkhestra resume … --detach` and returns when the run is recorded. The error is the
/// output of that process.
pub(super) fn resume(
    project: &ProjectLocation,
    mut arguments: Vec<OsString>,
) -> Result<(), String> {
    arguments.push("--detach".into());
    run_own_program(project, &arguments).map(drop)
}
