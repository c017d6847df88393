//! The right to work in a work tree.

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

use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::report::text::lock_error;

/// How long we wait for what is killed to be gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// What somebody wants to hold.
pub(crate) struct LockRequest<'a> {
    pub(crate) tree: &'a WorkTreeDir,
    pub(crate) run: &'a RunId,
    pub(crate) since: Timestamp,
    /// A person said that nothing else is going on.
    pub(crate) without_lock: bool,
}

impl LockRequest<'_> {
    /// Who we are.
    pub(super) fn owner(&self) -> LockOwner {
        LockOwner { pid: std::process::id(), run: self.run.clone(), since: self.since }
    }
}

/// Takes the journal of a run that goes on, which nobody can do without: two processes that write
/// one journal destroy it.
pub(crate) fn acquire_journal_lock(
    run: &RunDir,
    claim: &LockRequest<'_>,
) -> Result<JournalLock, CommandError> {
    JournalLock::acquire(run, &claim.owner()).map_err(|error| journal_lock_error(&error))
}

/// Takes the lock of a work tree, and ends what a run that died has left behind there.
pub(crate) fn acquire_work_tree_lock(
    claim: &LockRequest<'_>,
    screen: &mut ConsoleOutput,
) -> Result<LockProof, CommandError> {
    if claim.without_lock {
        return Ok(LockProof::Waived);
    }
    let acquired =
        WorkTreeLock::acquire(claim.tree, &claim.owner()).map_err(|error| refused(&error))?;
    // Our own run is swept when nothing stands in its way any more.
    if let Some(leftover) = acquired.leftover.filter(|leftover| leftover.run != *claim.run) {
        sweep_if_over(claim, &leftover.run, screen);
    }
    Ok(LockProof::Locked(acquired.lock))
}

/// Ends what a run has left behind, unless somebody goes on with it without the lock.
fn sweep_if_over(claim: &LockRequest<'_>, run: &RunId, screen: &mut ConsoleOutput) {
    let owner = LockOwner { run: run.clone(), ..claim.owner() };
    // It may be in another work tree by now, if its project was moved.
    let found = match claim.tree.path().parent() {
        Some(root) => StateRoot::new(root).find(run.as_str()),
        None => claim.tree.find(run.as_str()),
    };
    // As long as we have the journal, nobody begins to go on with it.
    let journal = found.map(|run| JournalLock::acquire(&run, &owner));
    if !matches!(journal, Ok(Err(LockError::GoingOn { .. }))) {
        sweep(run, screen);
    }
}

/// Ends every process that a run has left behind.
pub(crate) fn sweep(run: &RunId, screen: &mut ConsoleOutput) {
    let swept = process::sweep(OsStr::new(RUN_TAG), OsStr::new(run.as_str()), PATIENCE);
    if !swept.ended.is_empty() {
        let processes = text::count(swept.ended.len(), "process");
        screen.report(&[Diagnostic::warning(format!(
            "{processes} that run {run} had left behind when it was killed, ended now"
        ))]);
    }
    if !swept.left.is_empty() {
        let pids: Vec<String> = swept.left.iter().map(ToString::to_string).collect();
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
            .hint("`--no-lock` runs beside it; two agents in one work tree disturb each other"),
        LockError::Held { owner: None, .. } => diagnostic.hint("try again in a moment"),
        LockError::GoingOn { .. } => return journal_lock_error(error),
        LockError::Unusable(_) => {
            diagnostic.hint("`--state-dir` names another place, `--no-lock` does without the lock")
        }
    })
}

/// Somebody else has the journal, or nobody can have it.
pub(super) fn journal_lock_error(error: &LockError) -> CommandError {
    let hint = match error {
        LockError::GoingOn { owner: Some(owner), .. } => {
            Some(format!("wait for it, or stop it: forkhestra stop {}", owner.run))
        }
        LockError::GoingOn { owner: None, .. } => Some("wait for it, or stop it".to_owned()),
        LockError::Held { .. } | LockError::Unusable(_) => None,
    };
    CommandError::wrong(Diagnostic::error(lock_error::message(error)).maybe_hint(hint))
}
