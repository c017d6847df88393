//! Rewinds the work tree of a run from `forkhestra watch`.

use std::ffi::OsString;

use forkhestra_core::history::SnapshotAddress;
use forkhestra_store::RunDir;

use super::own_process::run_own_program;
use crate::past_runs::resume_command;
use crate::project::project_location::ProjectLocation;

/// Runs `forkhestra rewind RUN --to …` and returns its output. The error has the command to use
/// instead, to which options can be added.
pub(super) fn rewind(
    run: &RunDir,
    to: SnapshotAddress,
    project: &ProjectLocation,
) -> Result<String, String> {
    let id = run.run().as_str();
    let mut arguments: Vec<OsString> =
        vec!["rewind".into(), id.into(), "--to".into(), to.to_string().into()];
    let state_dir = resume_command::state_dir(run, project);
    arguments.extend(state_dir.into_iter().flat_map(|root| ["--state-dir".into(), root.into()]));
    let option = resume_command::state_dir_option(run, project);
    run_own_program(project, &arguments).map_err(|why| {
        format!("{why}\n\nAt the command line: forkhestra rewind {id} --to {to}{option}")
    })
}
