//! What a run has left behind that was killed while it came to its end.

use std::fs;

use forkhestra_store::RunDir;

use super::guarded::{release, scratch};
use super::hold::{Claim, sweep, take_hold, take_journal};
use crate::screen::Screen;

/// Removes the leftovers of a run that is complete, if there are any. As nothing depends on them,
/// whatever stands in the way (somebody is at work there, or the disk is read-only) is left alone.
/// Whether there were any.
pub(crate) fn tidy_up(run: &RunDir, claim: &Claim<'_>, screen: &mut Screen) -> bool {
    if !run.names_an_owner() && !scratch(run).exists() {
        return false;
    }
    // It may also be about to end just now: then the journal is not ours to have.
    let Ok(_journal) = take_journal(run, claim) else { return false };
    sweep(claim.run, screen);
    let _ = fs::remove_dir_all(scratch(run));
    if let Ok(hold) = take_hold(claim, screen) {
        release(hold);
    }
    true
}
