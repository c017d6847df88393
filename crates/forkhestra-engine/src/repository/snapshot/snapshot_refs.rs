//! The refs of the snapshots of a run: copied, and removed with the clean rooms of killed runs.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::id::RunId;

use super::snapshot_store::REF_NAMESPACE;
use crate::process::ChildProcesses;
use crate::repository::git_program::{GitError, GitProgram};
use crate::repository::merge_queue::{INTEGRATION, LANES, PARKED};
use crate::repository::worktree_entries::remove_abandoned_rooms;
use crate::repository::{GitRepository, GitSession, may_be_in_repository, text};

/// The refs of a merge queue below the namespace of its run. One that comes later is not needed if an
/// earlier one has its commits.
const QUEUE_REFS: [&str; 3] = [INTEGRATION, PARKED, LANES];

/// Upper bound for git.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(30);

/// Removes all snapshots of a run from the repository of a directory, and clean rooms of killed
/// runs. Does nothing if there is no repository any more. Returns the refs that are kept: those of its
/// merge queue with commits that no other ref has.
pub fn forget_snapshots(
    directory: &Path,
    run: &str,
    environment: &[(OsString, OsString)],
) -> Result<Vec<String>, String> {
    let run = RunId::parse(run).map_err(|error| format!("`{run}` {error}"))?;
    in_repository(directory, environment, |session| {
        let names = list_refs(session, &run)?;
        let kept = unmerged_work(session, &run, &names)?;
        let removed = names.lines().filter(|name| !kept.iter().any(|kept| kept == name));
        update_refs(session, removed.map(|name| format!("delete {name}\n")))?;
        // Leftovers of other runs are tried again with the next clean room.
        let _ = remove_abandoned_rooms(&session.repository.common);
        Ok(kept)
    })
    .map_err(|error| {
        format!("the snapshots of run {run} in {} cannot be removed: {error}", directory.display())
    })
}

/// The refs of the merge queue of a run with commits that no branch or other ref has. What lanes have is
/// kept only if it has neither landed nor been parked.
fn unmerged_work(
    session: &GitSession<'_>,
    run: &RunId,
    names: &str,
) -> Result<Vec<String>, GitError> {
    let mut kept: Vec<String> = Vec::new();
    for kind in QUEUE_REFS {
        let place = format!("{REF_NAMESPACE}/{run}/{kind}");
        let is_its = |name: &&str| {
            name.strip_prefix(&place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        for name in names.lines().filter(is_its) {
            let others = format!("--exclude={REF_NAMESPACE}/*");
            let mut args = vec!["rev-list", "--max-count=1", name, "--not", &others, "--all"];
            args.extend(kept.iter().map(String::as_str));
            if !session.require(&args)?.is_empty() {
                kept.push(name.to_owned());
            }
        }
    }
    Ok(kept)
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
        let numbers = numbers.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        let orders =
            numbers.map(|number| format!("update {place}{name}/{number} {place}{number}\n"));
        update_refs(session, orders)
    })
    .map_err(|error| {
        format!("the snapshots of run {run} in {} cannot be copied: {error}", directory.display())
    })
}

/// Runs git in the repository of a directory, if there is one.
fn in_repository<T: Default>(
    directory: &Path,
    environment: &[(OsString, OsString)],
    action: impl FnOnce(&GitSession<'_>) -> Result<T, GitError>,
) -> Result<T, GitError> {
    let Ok(directory) = directory.canonicalize() else { return Ok(T::default()) };
    let git = GitProgram::new(environment, Arc::new(ChildProcesses::default()));
    if !may_be_in_repository(&git, &directory) {
        return Ok(T::default());
    }
    if !git.is_installed() {
        return Err(GitError::Failed("is not installed".to_owned()));
    }
    let deadline = Instant::now() + CLEANUP_TIMEOUT;
    let Some(repository) = GitRepository::find(&git, &directory, deadline)? else {
        return Ok(T::default());
    };
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
