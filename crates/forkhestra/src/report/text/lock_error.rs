//! Messages of lock errors, with the local time since when the lock is held.

use forkhestra_store::{LockError, LockOwner};

use super::local_time;
use crate::cli::command_error::in_full;

/// The message of a lock error.
pub(crate) fn message(error: &LockError) -> String {
    match error {
        LockError::Held { owner: Some(owner), .. } => {
            format!("the work tree is in use by run {} {}", owner.run, holder(owner))
        }
        LockError::RunActive { run, owner: Some(owner) } => {
            format!("run {run} is active {}", holder(owner))
        }
        other => in_full(other),
    }
}

/// `(process 4711, since 2026-11-15 10:24:47 CET)`.
fn holder(owner: &LockOwner) -> String {
    format!("(process {}, since {})", owner.pid, local_time::second_in_zone(owner.since))
}
