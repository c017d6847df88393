//! Journals that are damaged in the middle: they are refused, or repaired with `--repair`.

use std::fs;
use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::machine::RunState;
use forkhestra_engine::now;
use forkhestra_store::journal::recorded_run::HistoryError;
use forkhestra_store::repair::{self, JournalCut, RepairError, Repaired};
use forkhestra_store::view::ViewDir;
use forkhestra_store::{JournalLock, LockProof, RunDir, run_notes};
use typeset::text::visible;

use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::past_runs::past_run::{self, BROKEN_CHAIN_HINT, PastRun};
use crate::past_runs::resume_command;
use crate::project::project_location::ProjectLocation;

/// The error for a run that cannot be read, with hints.
pub(crate) fn refused(
    unusable: &HistoryError,
    run: &RunDir,
    project: &ProjectLocation,
) -> CommandError {
    CommandError::wrong(with_repair_hints(
        Diagnostic::error(in_full(unusable)),
        unusable,
        run,
        project,
    ))
}

/// The warning about a run that a list or a sum leaves out because it cannot be read.
pub(crate) fn unreadable_warning(
    unusable: &HistoryError,
    run: &RunDir,
    project: &ProjectLocation,
) -> Diagnostic {
    let problem = match unusable {
        HistoryError::WrongHash { .. } | HistoryError::RemovedEnd { .. } => {
            "was changed by another program"
        }
        _ => "cannot be read",
    };
    let message = format!("run {} {problem}: {}", run.run(), in_full(unusable));
    with_repair_hints(Diagnostic::warning(message), unusable, run, project)
}

/// The command that repairs a run and resumes it; none if it cannot be repaired.
pub(crate) fn repair_command(
    unusable: &HistoryError,
    run: &RunDir,
    project: &ProjectLocation,
) -> Option<String> {
    let cut = unusable.is_damage().then(|| JournalCut::find(&run.journal()))?;
    let is_repairable = matches!(cut, Ok(_) | Err(RepairError::NotDamaged { .. }));
    is_repairable.then(|| format!("{} --repair", resume_command::without_plan(run, project)))
}

/// Adds hints to a diagnostic about a run that cannot be read.
pub(crate) fn with_repair_hints(
    diagnostic: Diagnostic,
    unusable: &HistoryError,
    run: &RunDir,
    project: &ProjectLocation,
) -> Diagnostic {
    if unusable.needs_newer_version() {
        return diagnostic.hint("a newer version of forkhestra wrote it, and is needed to read it");
    }
    if !unusable.is_damage() {
        return diagnostic;
    }
    let is_broken = matches!(unusable, HistoryError::WrongHash { .. });
    let diagnostic = diagnostic.maybe_hint(is_broken.then(|| BROKEN_CHAIN_HINT.to_owned()));
    match JournalCut::find(&run.journal()) {
        Ok(cut) => {
            let command = resume_command::without_plan(run, project);
            diagnostic
                .hint(format!("to cut the journal there and resume: {command} --repair"))
                .hint(format!("this runs again: {}", cut.run_again))
        }
        Err(RepairError::NotDamaged { .. }) => {
            let command = resume_command::without_plan(run, project);
            diagnostic
                .hint(format!("to resume after the last line that is left: {command} --repair"))
        }
        Err(why) => unrepairable(diagnostic, &why, run),
    }
}

/// Repairs the journal of a locked run and reports what was removed.
pub(crate) fn repair(
    run: &RunDir,
    lock: &mut JournalLock,
    work_tree_lock: &LockProof,
    has_view: bool,
    here: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<PastRun, CommandError> {
    let refused =
        |why| CommandError::wrong(unrepairable(Diagnostic::error(in_full(&why)), &why, run));
    let cut = match JournalCut::find(&run.journal()) {
        // Only its end is missing.
        Err(RepairError::NotDamaged { .. }) => return accept_removed_end(run, screen),
        cut => cut.map_err(refused)?,
    };
    copy_snapshot_refs(&cut.state, run, here)?;
    let repaired = repair::repair(lock, work_tree_lock, now().wall).map_err(refused)?;
    screen.report(&[repair_diagnostic(&repaired)]);
    let past = past_run::read(run)
        .map_err(|error| CommandError::wrong(Diagnostic::error(in_full(&error))))?;
    if has_view {
        forget_iterations(&past, screen);
    }
    Ok(past)
}

/// Accepts a journal whose last lines were removed.
fn accept_removed_end(run: &RunDir, screen: &mut ConsoleOutput) -> Result<PastRun, CommandError> {
    run_notes::remove(run)?;
    screen.report(&[Diagnostic::warning(
        "the run continues after the last line that is left; what the removed lines recorded runs again",
    )]);
    past_run::read(run).map_err(|error| CommandError::wrong(Diagnostic::error(in_full(&error))))
}

/// Copies the refs of the snapshots: iterations that run again take snapshots with the same numbers.
fn copy_snapshot_refs(
    state: &RunState,
    run: &RunDir,
    here: &ProjectLocation,
) -> Result<(), CommandError> {
    let directory = Path::new(&state.plan.working_directory);
    let time_suffix: String =
        now().wall.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
    let environment = &here.environment.inherited;
    let name = format!("damaged-{time_suffix}");
    forkhestra_engine::copy_snapshot_refs(directory, run.run().as_str(), environment, &name)
        .map_err(|why| CommandError::wrong(Diagnostic::error(why)))
}

fn unrepairable(error: Diagnostic, why: &RepairError, run: &RunDir) -> Diagnostic {
    match why {
        RepairError::NoPlan { .. } => error
            .hint(
                "without its first line, which held the plan, a run cannot be resumed: start a new one",
            )
            .maybe_hint(kept_output(run)),
        RepairError::NewerFormat { .. }
        | RepairError::NotDamaged { .. }
        | RepairError::File(_) => error,
    }
}

/// A hint to the output of agents, if there is any.
fn kept_output(run: &RunDir) -> Option<String> {
    let output = run.output();
    // A directory that cannot be listed is not mentioned.
    let is_there = fs::read_dir(&output).is_ok_and(|mut entries| entries.next().is_some());
    is_there.then(|| format!("what its agents printed is still there: {}", output.display()))
}

fn repair_diagnostic(repaired: &Repaired) -> Diagnostic {
    Diagnostic::warning(visible(&repaired.cut.to_string()))
        .hint(format!("run again: {}", repaired.cut.run_again))
        .hint(format!("the damaged journal is kept: {}", repaired.original.display()))
        .maybe_hint(repaired.output.as_ref().map(|output| {
            format!("the output of removed iterations is kept: {}", output.display())
        }))
}

/// Removes the iterations of a repaired run from `iterations.jsonl`, which is rewritten from the
/// repaired journal. Otherwise lines of removed iterations would stand for those that run again.
fn forget_iterations(past: &PastRun, screen: &mut ConsoleOutput) {
    let directory = ViewDir::of(Path::new(&past.history.state.plan.working_directory));
    if !directory.path().is_dir() {
        return;
    }
    if let Err(error) = directory.forget_iterations(&[past.run_dir.run().clone()]) {
        screen.report(&[Diagnostic::warning(in_full(&error))]);
    }
}
