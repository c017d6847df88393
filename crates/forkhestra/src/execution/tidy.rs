//! What a run has left behind that was killed while it came to its end.

use std::fs;

use forkhestra_store::{Overview, control};

use super::hold::{Claim, sweep, take_hold, take_journal};
use super::two_processes::{release, scratch};
use super::views::{note, rebuild_in_time};
use crate::project::Project;
use crate::recorded::PastRun;
use crate::screen::Screen;

/// Does what a run that is complete did not come to, if it was killed in that moment: for its view,
/// too, if somebody wants one and says where we are. As nothing depends on it, whatever stands in the
/// way (somebody is at work there, or the disk is read-only) is left alone.
pub(crate) fn tidy_up(
    past: &PastRun,
    claim: &Claim<'_>,
    view: Option<&Project>,
    screen: &mut Screen,
) {
    let run = &past.run_dir;
    let was_cut_off = run.names_an_owner();
    if !was_cut_off && !scratch(run).exists() && Overview::is_noted(run) {
        return;
    }
    // It may also be about to end just now: then the journal is not ours to have.
    let Ok(journal) = take_journal(run, claim) else { return };
    sweep(claim.run, screen);
    let _ = fs::remove_dir_all(scratch(run));
    let _ = control::remove(&journal);
    if let Some(project) = view.filter(|_| was_cut_off) {
        rebuild_in_time(run, project);
    }
    let _ = note(&past.history, run);
    if let Ok(hold) = take_hold(claim, screen) {
        release(hold);
    }
}
