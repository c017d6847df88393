//! The work trees of forked runs in the state directory.

use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;
use forkhestra_store::RunDir;

use crate::past_runs::resume_command::state_root;

/// The directory in the state directory that holds them.
const FORKS: &str = "forks";

/// The directory for the work tree of a forked run. Programs that name things after their directory
/// keep those of two forks apart.
pub(crate) fn fork_directory(state: &Path, top: &Path, run: &RunId) -> PathBuf {
    let project = top.file_name().unwrap_or_default().to_string_lossy();
    state.join(FORKS).join(format!("{project}-{run}"))
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
