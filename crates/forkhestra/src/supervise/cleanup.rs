//! What a run has left behind that was killed while it came to its end.

use std::fs;

use forkhestra_store::{RunOverview, control};

use super::lock::{LockRequest, acquire_journal_lock, acquire_work_tree_lock, sweep};
use super::two_processes::{release, scratch};
use super::view_thread::{note, rebuild_in_time};
use crate::cli::console_output::ConsoleOutput;
use crate::past_runs::past_run::PastRun;
use crate::project::project_location::ProjectLocation;

/// Does what a run that is complete did not come to, if it was killed in that moment: for its view,
/// too, if somebody wants one and says where we are. As nothing depends on it, whatever stands in the
/// way (somebody is at work there, or the disk is read-only) is left alone.
pub(crate) fn clean_up(
    past: &PastRun,
    claim: &LockRequest<'_>,
    view: Option<&ProjectLocation>,
    screen: &mut ConsoleOutput,
) {
    let run = &past.run_dir;
    let was_cut_off = run.has_owner_file();
    if !was_cut_off && !scratch(run).exists() && RunOverview::has_note(run) {
        return;
    }
    // It may also be about to end just now: then the journal is not ours to have.
    let Ok(journal) = acquire_journal_lock(run, claim) else { return };
    sweep(claim.run, screen);
    let _ = fs::remove_dir_all(scratch(run));
    let _ = control::remove(&journal);
    if let Some(project) = view.filter(|_| was_cut_off) {
        rebuild_in_time(run, project);
    }
    let _ = note(&past.history, run);
    if let Ok(hold) = acquire_work_tree_lock(claim, screen) {
        release(hold);
    }
}
