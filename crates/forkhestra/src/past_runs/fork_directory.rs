//! The work trees of forked runs in the state directory.

use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::regular_file;
use forkhestra_store::RunDir;

use crate::past_runs::resume_command::state_root;

/// The directory in the state directory that holds them.
const FORKS: &str = "forks";

/// The directory for the work tree of a forked run. Programs that name things after their directory
/// keep those of two forks apart.
pub(crate) fn fork_directory(state: &Path, top: &Path, run: &RunId) -> PathBuf {
    let project = top.file_name().unwrap_or_default().to_string_lossy();
    // A time before the id would make it the name of a run's directory.
    let prefix = if Timestamp::parse(&project).is_ok() { "project-" } else { "" };
    state.join(FORKS).join(format!("{prefix}{project}-{run}"))
}

/// The work trees in a state directory that belong to none of these runs.
pub(crate) fn abandoned_work_trees(state: &Path, runs: &[RunDir]) -> Vec<PathBuf> {
    // Without the directory, no fork was made.
    let entries = fs::read_dir(state.join(FORKS)).into_iter().flatten().flatten();
    let has_run = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        runs.iter().any(|run| name.ends_with(&format!("-{}", run.run())))
    };
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !has_run(path)).collect();
    paths.sort();
    paths
}

/// The work tree of a forked run outside of the state directory. The branch of the run is there.
pub(crate) fn work_tree_elsewhere(run: &RunId, working_directory: &Path) -> Option<PathBuf> {
    let top = working_directory.ancestors().find(|place| place.join(".git").is_dir())?;
    let git = top.join(".git");
    let names = ["forkhestra/", "forkhestra-"].map(|prefix| format!("refs/heads/{prefix}{run}"));
    let has_name = |file: &str| {
        let text = regular_file::read_text(&git.join(file)).unwrap_or_default();
        text.lines().any(|line| names.iter().any(|name| line.ends_with(&format!(" {name}"))))
    };
    let has_branch = names.iter().any(|name| git.join(name).is_file())
        || has_name("HEAD")
        || has_name("packed-refs");
    has_branch.then(|| top.to_owned())
}

/// The work tree that was made for a forked run in the state directory, if it is still there.
pub(crate) fn kept_work_tree(run: &RunDir, working_directory: &Path) -> Option<PathBuf> {
    let tree = run.work_tree();
    let forks = state_root(tree.path()).join(FORKS);
    let forks = forks.canonicalize().ok()?;
    let below = working_directory.strip_prefix(&forks).ok()?;
    let directory = forks.join(below.components().next()?);
    let is_its_own = directory.to_string_lossy().ends_with(&format!("-{}", run.run()));
    (is_its_own && directory.is_dir()).then_some(directory)
}
