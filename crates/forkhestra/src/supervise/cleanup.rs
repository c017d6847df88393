//! Cleans up after a run that was killed while it was ending.

use std::fs;

use forkhestra_store::{RunOverview, control};

use super::lock::{LockRequest, acquire_journal_lock, acquire_work_tree_lock, sweep};
use super::two_processes::{release, scratch};
use super::view_thread::{note, rebuild_in_time};
use crate::cli::console_output::ConsoleOutput;
use crate::past_runs::past_run::PastRun;
use crate::project::project_location::ProjectLocation;

/// Completes the cleanup that a finished run missed because it was killed. Its view is rebuilt if a
/// project location is given. Errors are ignored, as nothing depends on the cleanup: another
/// process may hold the lock, or the disk may be read-only.
pub(crate) fn clean_up(
    past: &PastRun,
    lock_request: &LockRequest<'_>,
    view: Option<&ProjectLocation>,
    screen: &mut ConsoleOutput,
) {
    let run = &past.run_dir;
    let was_cut_off = run.has_owner_file();
    if !was_cut_off && !scratch(run).exists() && RunOverview::has_note(run) {
        return;
    }
    // The run's process may still be alive and about to end. Then it holds the journal lock.
    let Ok(journal) = acquire_journal_lock(run, lock_request) else { return };
    sweep(lock_request.run, screen);
    let _ = fs::remove_dir_all(scratch(run));
    let _ = control::remove(&journal);
    if let Some(project) = view.filter(|_| was_cut_off) {
        rebuild_in_time(run, project);
    }
    let _ = note(&past.history, run);
    if let Ok(work_tree_lock) = acquire_work_tree_lock(lock_request, screen) {
        release(work_tree_lock);
    }
}
