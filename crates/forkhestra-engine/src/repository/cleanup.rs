//! Removes the snapshots and clean rooms of a run from a repository.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::id::RunId;

use super::snapshot_store::PLACE;
use super::worktree_entries::sweep;
use super::{GitRepository, GitSession, may_be_in_one, text};
use crate::process::ChildProcesses;
use crate::repository::git_program::{GitError, GitProgram};

/// Upper bound for git.
const PATIENCE: Duration = Duration::from_secs(30);

/// Removes all snapshots of a run from the repository of a directory, and clean rooms of killed
/// runs. Does nothing if there is no repository any more.
pub fn forget_snapshots(
    directory: &Path,
    run: &str,
    environment: &[(OsString, OsString)],
) -> Result<(), String> {
    let run = RunId::parse(run).map_err(|error| format!("`{run}` {error}"))?;
    let Ok(directory) = directory.canonicalize() else { return Ok(()) };
    let git = GitProgram::new(environment, Arc::new(ChildProcesses::default()));
    if !may_be_in_one(&git, &directory) {
        return Ok(());
    }
    forget(&git, &directory, &run).map_err(|error| {
        format!("the snapshots of run {run} in {} cannot be removed: {error}", directory.display())
    })
}

fn forget(git: &GitProgram, directory: &Path, run: &RunId) -> Result<(), GitError> {
    let deadline = Instant::now() + PATIENCE;
    if !git.is_installed() {
        return Err(GitError::Failed("is not installed".to_owned()));
    }
    let Some(repository) = GitRepository::find(git, directory, deadline)? else { return Ok(()) };
    let session = GitSession { git, repository: &repository, deadline };
    let place = format!("{PLACE}/{run}/");
    let listed = session.require(&["for-each-ref", "--format=%(refname)", &place])?;
    let listed = text(&listed);
    let orders: String = listed.lines().map(|name| format!("delete {name}\n")).collect();
    if !orders.is_empty() {
        session.send_input(&[], &["update-ref", "--stdin"], orders.as_bytes())?;
    }
    // Leftovers of other runs are tried again with the next clean room.
    let _ = sweep(&repository.common);
    Ok(())
}
