//! Locks of a work tree and of a journal.

use std::ffi::OsStr;
use std::time::Duration;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::id::RunId;
use forkhestra_core::text;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::{RUN_TAG, process};
use forkhestra_store::{
    JournalLock, LockError, LockOwner, LockProof, RunDir, StateRoot, WorkTreeDir, WorkTreeLock,
};

use crate::cli::command_error::{CommandError, file_diagnostic};
use crate::cli::console_output::ConsoleOutput;
use crate::report::text::lock_error;

/// How long to wait for killed processes to disappear.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Parameters of a lock.
pub(crate) struct LockRequest<'a> {
    pub(crate) tree: &'a WorkTreeDir,
    pub(crate) run: &'a RunId,
    pub(crate) since: Timestamp,
    /// The user requested `--no-lock`.
    pub(crate) without_lock: bool,
}

impl LockRequest<'_> {
    /// The owner entry that names this process.
    pub(super) fn owner(&self) -> LockOwner {
        LockOwner { pid: std::process::id(), run: self.run.clone(), since: self.since }
    }
}

/// Takes the journal lock of a run that is resumed. It is required even with `--no-lock`: two
/// writers destroy a journal.
pub(crate) fn acquire_journal_lock(
    run: &RunDir,
    lock_request: &LockRequest<'_>,
) -> Result<JournalLock, CommandError> {
    JournalLock::acquire(run, &lock_request.owner()).map_err(|error| journal_lock_error(&error))
}

/// Takes the lock of a work tree and ends leftover processes of a dead run there.
pub(crate) fn acquire_work_tree_lock(
    lock_request: &LockRequest<'_>,
    screen: &mut ConsoleOutput,
) -> Result<LockProof, CommandError> {
    if lock_request.without_lock {
        return Ok(LockProof::Waived);
    }
    let acquired = WorkTreeLock::acquire(lock_request.tree, &lock_request.owner())
        .map_err(|error| refused(&error))?;
    // Leftovers of the run itself are swept later, after all checks have passed.
    if let Some(leftover) = acquired.leftover.filter(|leftover| leftover.run != *lock_request.run) {
        sweep_if_over(lock_request, &leftover.run, screen);
    }
    Ok(LockProof::Locked(acquired.lock))
}

/// Takes the lock of a work tree whose files are about to be replaced. It cannot be waived.
pub(crate) fn lock_work_tree_for_rewind(
    lock_request: &LockRequest<'_>,
    screen: &mut ConsoleOutput,
) -> Result<LockProof, CommandError> {
    let acquired = WorkTreeLock::acquire(lock_request.tree, &lock_request.owner());
    let acquired = acquired.map_err(|error| match &error {
        LockError::Held { owner: Some(owner), .. } => CommandError::wrong(
            Diagnostic::error(lock_error::message(&error))
                .hint(format!("wait for it, or stop it: forkhestra stop {}", owner.run)),
        ),
        error => refused(error),
    })?;
    if let Some(leftover) = acquired.leftover {
        sweep_if_over(lock_request, &leftover.run, screen);
    }
    Ok(LockProof::Locked(acquired.lock))
}

/// Ends leftover processes of a run, unless it was resumed without the work tree lock.
fn sweep_if_over(lock_request: &LockRequest<'_>, run: &RunId, screen: &mut ConsoleOutput) {
    let owner = LockOwner { run: run.clone(), ..lock_request.owner() };
    // The run may be stored under another work tree if its project was moved.
    let found = match lock_request.tree.path().parent() {
        Some(root) => StateRoot::new(root).find(run.as_str()),
        None => lock_request.tree.find(run.as_str()),
    };
    // While the journal lock is held, the run cannot be resumed.
    let journal = found.map(|run| JournalLock::acquire(&run, &owner));
    if !matches!(journal, Ok(Err(LockError::RunActive { .. }))) {
        sweep(run, screen);
    }
}

/// Ends all leftover processes of a run.
pub(crate) fn sweep(run: &RunId, screen: &mut ConsoleOutput) {
    let swept = process::sweep(OsStr::new(RUN_TAG), OsStr::new(run.as_str()), EXIT_TIMEOUT);
    if !swept.ended.is_empty() {
        let processes = text::count(swept.ended.len(), "process");
        screen.report(&[Diagnostic::warning(format!(
            "{processes} that run {run} had left behind when it was killed, ended now"
        ))]);
    }
    if !swept.remaining.is_empty() {
        let pids: Vec<String> = swept.remaining.iter().map(ToString::to_string).collect();
        screen.report(&[Diagnostic::warning(format!(
            "run {run} has left processes behind that cannot be ended: {}",
            pids.join(", ")
        ))]);
    }
}

fn refused(error: &LockError) -> CommandError {
    let diagnostic = Diagnostic::error(lock_error::message(error));
    CommandError::wrong(match error {
        LockError::Held { owner: Some(owner), .. } => diagnostic
            .hint(format!("wait for it, or stop it: forkhestra stop {}", owner.run))
            .hint("`--no-lock` starts anyway; two agents in one work tree can overwrite each other's changes"),
        LockError::Held { owner: None, .. } => diagnostic.hint("try again in a moment"),
        LockError::RunActive { .. } => return journal_lock_error(error),
        LockError::Unusable(error) if error.untrusted().is_some() => file_diagnostic(error),
        LockError::Unusable(_) => {
            diagnostic.hint("choose another directory with `--state-dir`, or run without the lock with `--no-lock`")
        }
    })
}

/// The error for a journal lock that is held or cannot be taken.
pub(super) fn journal_lock_error(error: &LockError) -> CommandError {
    let hint = match error {
        LockError::Unusable(error) if error.untrusted().is_some() => {
            return CommandError::wrong(file_diagnostic(error));
        }
        LockError::RunActive { owner: Some(owner), .. } => {
            Some(format!("wait for it, or stop it: forkhestra stop {}", owner.run))
        }
        LockError::RunActive { owner: None, .. } => Some("wait for it, or stop it".to_owned()),
        LockError::Held { .. } | LockError::Unusable(_) => None,
    };
    CommandError::wrong(Diagnostic::error(lock_error::message(error)).maybe_hint(hint))
}
