//! Projects that were moved after their runs started.

use std::io;
use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::ExecutionStatus;
use forkhestra_store::{RunDir, RunOverview};
use typeset::text::visible;

use crate::past_runs::resume_command;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;

/// Upper bound for the runs that are examined for a hint.
const MAX_CANDIDATES: usize = 100;
const MAX_LISTED: usize = 3;

/// Whether a directory does not exist any more.
pub(crate) fn is_gone(directory: &str) -> bool {
    let found = Path::new(directory).metadata();
    let is_nothing = |error: io::Error| {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    };
    found.err().is_some_and(is_nothing)
}

/// Adds a hint about a working directory that cannot be used.
pub(crate) fn missing_directory_hint(
    error: Diagnostic,
    run: &RunDir,
    project: &ProjectLocation,
) -> Diagnostic {
    let command = resume_command::without_plan(run, project);
    Diagnostic { hints: Vec::new(), ..error }
        .hint(format!("if the project was moved: {command} --cwd NEW"))
}

/// Hints at runs whose working directory is gone: they may belong to this project.
pub(crate) fn moved_project_hint(finder: &RunFinder<'_>) -> Vec<String> {
    let project = finder.project;
    let here = project.written_directory.as_deref().unwrap_or(Path::new("."));
    let here = resume_command::option("--cwd", here);
    // If runs cannot be listed, there is no hint.
    let runs = finder.all_runs().unwrap_or_default();
    let gone = runs.iter().take(MAX_CANDIDATES).filter_map(|run| {
        let directory = directory_that_is_gone(run)?;
        let command = resume_command::without_plan(run, project);
        Some(format!(
            "run {} was begun in {}, which does not exist any more; if this is that project: \
             {command}{here}",
            run.run(),
            visible(&directory)
        ))
    });
    gone.take(MAX_LISTED).collect()
}

fn directory_that_is_gone(run: &RunDir) -> Option<String> {
    let known = RunOverview::read(run).ok()?;
    let is_over = known.status == ExecutionStatus::Complete;
    (!is_over && is_gone(&known.working_directory)).then_some(known.working_directory)
}
