//! The work tree of a run while it is brought back to a snapshot.

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

/// The work tree of a run while it is brought back. The run and the work tree are locked.
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
        let rewinder = WorkTreeRewinder::open(&location).map_err(|error| rewind_error(&error))?;
        Ok(Self {
            snapshots,
            rewinder,
            scratch,
            work_tree_lock: Some(work_tree_lock),
            _journal_lock: journal_lock,
        })
    }

    /// The state that the run, a rewind or an undo left, whichever was last.
    pub(crate) fn expected(&mut self) -> Result<ExpectedState, CommandError> {
        let since = self.snapshots.past.history.updated;
        let left = self.rewinder.left_since(since).map_err(|error| rewind_error(&error))?;
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

    /// Refuses to go on after a rewind of this work tree that was cut off. Leftovers of one that was
    /// not are removed.
    pub(crate) fn refuse_pending(&self) -> Result<(), CommandError> {
        if !self.rewinder.is_pending() {
            return Ok(());
        }
        let own = self.snapshots.run_dir.run();
        let named = pending_rewind(self.rewinder.reader().top());
        // An agent can write the file: only the id of a run is printed, and only if it is cut off.
        let named = named.and_then(|named| RunId::parse(&named).ok());
        let named = named.unwrap_or_else(|| own.clone());
        let run_dir = match named == *own {
            true => Some(self.snapshots.run_dir.clone()),
            false => self.snapshots.run_dir.work_tree().find(named.as_str()).ok(),
        };
        if run_dir.is_some_and(|run_dir| is_cut_off(&run_dir).unwrap_or(true)) {
            return Err(cut_off(named.as_str()).into());
        }
        self.rewinder.forget_pending().map_err(|error| rewind_error(&error))
    }

    /// Whether the end of the last attempt was not recorded, so that later changes may be of the run.
    pub(crate) fn was_cut_off(&self) -> bool {
        let history = &self.snapshots.past.history;
        let last = history.steps.iter().flat_map(|step| &step.iterations).next_back();
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

/// Refuses a run in a work tree in which a rewind was cut off.
pub(crate) fn refuse_pending_rewind(finder: &RunFinder<'_>) -> Result<(), CommandError> {
    let work_tree = work_tree_of(&finder.project.working_directory);
    let Some(run) = pending_rewind(&work_tree) else { return Ok(()) };
    let is_id = RunId::parse(&run).is_ok();
    let run_dir = is_id.then(|| finder.find_named(&run).ok()).flatten();
    // Without a record of the run, nothing could be restored.
    let Some(run_dir) = run_dir else { return Ok(()) };
    match is_cut_off(&run_dir).map_err(|error| rewind_error(&error))? {
        true => Err(cut_off(&run).into()),
        false => Ok(()),
    }
}

/// Whether the last rewind to a snapshot of a run was cut off.
fn is_cut_off(run_dir: &RunDir) -> Result<bool, RewindError> {
    let last = RewindRecords::of(&run_dir.kept()).last_in_effect()?;
    Ok(last.is_some_and(|record| record.progress == RewindProgress::Started))
}

fn cut_off(run: &str) -> Diagnostic {
    Diagnostic::error(format!("a rewind of this work tree to a snapshot of run {run} was cut off"))
        .hint(format!("to restore the state before it: forkhestra rewind {run} --undo"))
}

/// The error for an undo that failed.
pub(crate) fn undo_error(error: &RewindError) -> CommandError {
    match error {
        RewindError::Snapshot(error) => snapshot_error(error),
        _ => CommandError::wrong(
            Diagnostic::error(format!("the undo failed: {error}"))
                .hint("remove the cause, then try it again: nothing of the saved state is lost"),
        ),
    }
}

/// The error for a rewind that failed.
pub(crate) fn rewind_error(error: &RewindError) -> CommandError {
    match error {
        RewindError::Snapshot(error) => snapshot_error(error),
        RewindError::RollbackFailed { .. } => {
            CommandError::wrong(Diagnostic::error(error.to_string()).hint(
                "remove the cause, then restore the state before with `forkhestra rewind --undo`",
            ))
        }
        _ => CommandError::wrong(Diagnostic::error(format!("the rewind failed: {error}"))),
    }
}
