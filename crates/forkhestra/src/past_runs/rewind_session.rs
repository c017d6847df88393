//! The work tree of a run during a rewind.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::SnapshotPoint;
use forkhestra_core::id::RunId;
use forkhestra_engine::{
    ExpectedState, RewindError, RewindLocation, RewindProgress, RewindRecords, SnapshotLocation,
    WorkTreeRewinder, now, pending_rewind,
};
use forkhestra_store::{JournalLock, LockProof, RunDir};

use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::past_runs::control_client;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::run_snapshots::{RunSnapshots, snapshot_error};
use crate::project::project_location::{ProjectLocation, work_tree_of};
use crate::supervise::{
    LockRequest, acquire_journal_lock, lock_work_tree_for_rewind, rewind_scratch, secret_finder_of,
};

/// The work tree of a run during a rewind. The run and the work tree are locked.
pub(crate) struct RewindSession {
    pub(crate) snapshots: RunSnapshots,
    pub(crate) rewinder: WorkTreeRewinder,
    scratch: std::path::PathBuf,
    work_tree_lock: Option<LockProof>,
    _journal_lock: JournalLock,
}

impl RewindSession {
    /// Locks a run and its work tree.
    pub(crate) fn begin(
        snapshots: RunSnapshots,
        project: &ProjectLocation,
        screen: &mut ConsoleOutput,
    ) -> Result<Self, CommandError> {
        let run_dir = &snapshots.run_dir;
        control_client::refuse_within(run_dir.run())?;
        run_dir.require_trusted()?;
        let tree = run_dir.work_tree();
        let since = now().wall;
        let request = LockRequest { tree: &tree, run: run_dir.run(), since, without_lock: false };
        let journal_lock = acquire_journal_lock(run_dir, &request)?;
        let work_tree_lock = lock_work_tree_for_rewind(&request, screen)?;
        let plan = &snapshots.past.history.state.plan;
        let (kept, scratch) = (run_dir.kept(), rewind_scratch(run_dir));
        let environment = &project.environment.inherited;
        let location = RewindLocation {
            snapshots: SnapshotLocation {
                run: run_dir.run(),
                directory: Path::new(&plan.working_directory),
                persistent_directory: &kept,
                environment,
            },
            own_paths: &[run_dir.path(), tree.path()],
            scratch: &scratch,
            secrets: secret_finder_of(plan, environment),
        };
        let rewinder = WorkTreeRewinder::open(&location)
            .map_err(|error| rewind_error(&error, run_dir.run()))?;
        Ok(Self {
            snapshots,
            rewinder,
            scratch,
            work_tree_lock: Some(work_tree_lock),
            _journal_lock: journal_lock,
        })
    }

    /// The run.
    pub(crate) fn run(&self) -> &RunId {
        self.snapshots.run_dir.run()
    }

    /// The state that the run, a rewind or an undo left, whichever was last.
    pub(crate) fn expected(&mut self) -> Result<ExpectedState, CommandError> {
        let since = self.snapshots.past.history.updated;
        let left = self.rewinder.left_since(since);
        let left = left.map_err(|error| rewind_error(&error, self.run()))?;
        if let Some(left) = left {
            return Ok(left);
        }
        let point = self.snapshots.last()?;
        let (head, branch) = (point.head.clone(), point.branch.clone());
        Ok(ExpectedState { tree: self.tree(point)?, head, branch })
    }

    /// The tree of a snapshot.
    pub(crate) fn tree(&self, point: &SnapshotPoint) -> Result<String, CommandError> {
        self.rewinder.reader().tree(&point.snapshot).map_err(|error| snapshot_error(&error))
    }

    /// Refuses to continue after an interrupted rewind of this work tree. Leftovers of one that is
    /// complete are removed.
    pub(crate) fn refuse_pending(&self) -> Result<(), CommandError> {
        if !self.rewinder.is_pending() {
            return Ok(());
        }
        let own = self.run();
        let named = pending_rewind(self.rewinder.reader().top());
        // An agent can write the file: only the id of a run is printed, and only if its rewind was interrupted.
        let named = named.and_then(|named| RunId::parse(&named).ok());
        let named = named.unwrap_or_else(|| own.clone());
        let run_dir = match named == *own {
            true => Some(self.snapshots.run_dir.clone()),
            false => self.snapshots.run_dir.work_tree().find(named.as_str()).ok(),
        };
        if run_dir.is_some_and(|run_dir| is_interrupted(&run_dir).unwrap_or(true)) {
            return Err(interrupted(named.as_str()).into());
        }
        self.rewinder.forget_pending().map_err(|error| rewind_error(&error, own))
    }

    /// Whether the last attempt was interrupted before its end was recorded. Later changes may be of it.
    pub(crate) fn was_interrupted(&self) -> bool {
        let history = &self.snapshots.past.history;
        let last = history.attempts().next_back();
        let has_state = |record: &forkhestra_core::history::IterationRecord| {
            record.report.observation.snapshot.is_some()
        };
        history.unfinished_agent().is_some() || last.is_some_and(|record| !has_state(record))
    }
}

impl Drop for RewindSession {
    /// Removes temporary files and releases the lock. Leftovers only take space.
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.scratch);
        if let Some(lock) = self.work_tree_lock.take() {
            crate::supervise::release(lock);
        }
    }
}

/// Refuses a run in a work tree in which a rewind was interrupted.
pub(crate) fn refuse_pending_rewind(finder: &RunFinder<'_>) -> Result<(), CommandError> {
    let work_tree = work_tree_of(&finder.project.working_directory);
    let Some(run) = pending_rewind(&work_tree) else { return Ok(()) };
    let is_id = RunId::parse(&run).is_ok();
    let run_dir = is_id.then(|| finder.find_named(&run).ok()).flatten();
    // Without a record of the run, nothing could be restored.
    let Some(run_dir) = run_dir else { return Ok(()) };
    match is_interrupted(&run_dir).map_err(|error| rewind_error(&error, run_dir.run()))? {
        true => Err(interrupted(&run).into()),
        false => Ok(()),
    }
}

/// Whether the last rewind to a snapshot of a run was interrupted.
fn is_interrupted(run_dir: &RunDir) -> Result<bool, RewindError> {
    let last = RewindRecords::of(&run_dir.kept()).last_in_effect()?;
    Ok(last.is_some_and(|record| record.progress == RewindProgress::Started))
}

fn interrupted(run: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "a rewind of this work tree to a snapshot of run {run} was interrupted"
    ))
    .hint(format!("to restore the previous state: forkhestra rewind {run} --undo"))
}

/// The error for an undo that failed.
pub(crate) fn undo_error(error: &RewindError) -> CommandError {
    match error {
        RewindError::Snapshot(error) => snapshot_error(error),
        _ => CommandError::wrong(
            Diagnostic::error(format!("the undo failed: {error}"))
                .hint("remove the cause, then run the command again: the saved state is complete"),
        ),
    }
}

/// The error for a rewind that failed.
pub(crate) fn rewind_error(error: &RewindError, run: &RunId) -> CommandError {
    match error {
        RewindError::Snapshot(error) => snapshot_error(error),
        RewindError::RollbackFailed { .. } => {
            CommandError::wrong(Diagnostic::error(error.to_string()).hint(format!(
                "remove the cause, then restore the previous state: `forkhestra rewind {run} --undo`"
            )))
        }
        _ => {
            let diagnostic = Diagnostic::error(format!("the rewind failed: {error}"));
            CommandError::wrong(diagnostic.maybe_hint(retry_hint(error).map(str::to_owned)))
        }
    }
}

/// How to repeat a rewind that changed nothing.
fn retry_hint(error: &RewindError) -> Option<&'static str> {
    match error {
        RewindError::ChangedMeanwhile(_) => {
            Some("run the command again when no other program changes the work tree")
        }
        RewindError::RolledBack(cause) => {
            retry_hint(cause).or(Some("remove the cause, then run the command again"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_depends_on_the_cause_of_the_rollback() {
        let changed = || RewindError::ChangedMeanwhile("a.txt".into());
        let full = RewindError::Git("no space left".to_owned());
        for (error, expected) in [
            (changed(), Some("run the command again when no other program")),
            (RewindError::RolledBack(Box::new(changed())), Some("run the command again when")),
            (RewindError::RolledBack(Box::new(full)), Some("remove the cause, then run")),
            (RewindError::Branch("it is locked".to_owned()), None),
        ] {
            let hint = retry_hint(&error);
            assert_eq!(hint.is_some(), expected.is_some(), "{error}");
            assert!(hint.unwrap_or_default().starts_with(expected.unwrap_or_default()), "{error}");
        }
    }
}
