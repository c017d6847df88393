//! The refs of the snapshots of a run: copied, and removed with the clean rooms of killed runs.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::id::RunId;

use super::snapshot_store::REF_NAMESPACE;
use crate::process::ChildProcesses;
use crate::repository::git_program::{GitError, GitProgram};
use crate::repository::worktree_entries::remove_abandoned_rooms;
use crate::repository::{GitRepository, GitSession, may_be_in_repository, text};

/// Upper bound for git.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(30);

/// Removes all snapshots of a run from the repository of a directory, and clean rooms of killed
/// runs. Does nothing if there is no repository any more.
pub fn forget_snapshots(
    directory: &Path,
    run: &str,
    environment: &[(OsString, OsString)],
) -> Result<(), String> {
    let run = RunId::parse(run).map_err(|error| format!("`{run}` {error}"))?;
    in_repository(directory, environment, |session| {
        let names = list_refs(session, &run)?;
        update_refs(session, names.lines().map(|name| format!("delete {name}\n")))?;
        // Leftovers of other runs are tried again with the next clean room.
        let _ = remove_abandoned_rooms(&session.repository.common);
        Ok(())
    })
    .map_err(|error| {
        format!("the snapshots of run {run} in {} cannot be removed: {error}", directory.display())
    })
}

/// Copies the refs of the snapshots of a run below another name, so that a run that starts again from
/// an earlier state does not replace them.
pub fn copy_snapshot_refs(
    directory: &Path,
    run: &str,
    environment: &[(OsString, OsString)],
    name: &str,
) -> Result<(), String> {
    let run = RunId::parse(run).map_err(|error| format!("`{run}` {error}"))?;
    in_repository(directory, environment, |session| {
        let place = format!("{REF_NAMESPACE}/{run}/");
        let refs = list_refs(session, &run)?;
        let numbers = refs.lines().filter_map(|snapshot| snapshot.strip_prefix(&place));
        let numbers = numbers.filter(|number| !number.contains('/'));
        let orders =
            numbers.map(|number| format!("update {place}{name}/{number} {place}{number}\n"));
        update_refs(session, orders)
    })
    .map_err(|error| {
        format!("the snapshots of run {run} in {} cannot be copied: {error}", directory.display())
    })
}

/// Runs git in the repository of a directory, if there is one.
fn in_repository(
    directory: &Path,
    environment: &[(OsString, OsString)],
    action: impl FnOnce(&GitSession<'_>) -> Result<(), GitError>,
) -> Result<(), GitError> {
    let Ok(directory) = directory.canonicalize() else { return Ok(()) };
    let git = GitProgram::new(environment, Arc::new(ChildProcesses::default()));
    if !may_be_in_repository(&git, &directory) {
        return Ok(());
    }
    if !git.is_installed() {
        return Err(GitError::Failed("is not installed".to_owned()));
    }
    let deadline = Instant::now() + CLEANUP_TIMEOUT;
    let Some(repository) = GitRepository::find(&git, &directory, deadline)? else { return Ok(()) };
    let session = GitSession { git: &git, repository: &repository, deadline };
    action(&session)
}

fn list_refs(session: &GitSession<'_>, run: &RunId) -> Result<String, GitError> {
    let place = format!("{REF_NAMESPACE}/{run}/");
    let listed = session.require(&["for-each-ref", "--format=%(refname)", &place])?;
    Ok(text(&listed))
}

fn update_refs(
    session: &GitSession<'_>,
    orders: impl Iterator<Item = String>,
) -> Result<(), GitError> {
    let orders: String = orders.collect();
    if !orders.is_empty() {
        session.send_input(&[], &["update-ref", "--stdin"], orders.as_bytes())?;
    }
    Ok(())
}
