//! Journals that are damaged in the middle: refused, or repaired if somebody asks for it.

use std::fs;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::EventKind;
use forkhestra_engine::now;
use forkhestra_store::history::HistoryError;
use forkhestra_store::repair::{self, InferredEvent, RepairError, Repaired};
use forkhestra_store::{Hold, JournalLock, RunDir};
use typeset::text::visible;

use crate::error::{CliError, in_full};
use crate::project::Project;
use crate::recorded::{self, PastRun};
use crate::resume_command;
use crate::screen::Screen;

/// More lines than anybody reads.
const MOST_TOLD: usize = 10;

/// Says why a run cannot be read, and what can be done about it.
pub(crate) fn refused(unusable: &HistoryError, run: &RunDir, project: &Project) -> CliError {
    CliError::wrong(advised(Diagnostic::error(in_full(unusable)), unusable, run, project))
}

/// Adds what can be done about a run that cannot be read.
pub(crate) fn advised(
    told: Diagnostic,
    unusable: &HistoryError,
    run: &RunDir,
    project: &Project,
) -> Diagnostic {
    if unusable.needs_newer_version() {
        return told.hint("a newer version of forkhestra wrote it, and is needed to read it");
    }
    if !unusable.is_damage() {
        return told;
    }
    match repair::examine(&run.journal()) {
        Ok(_) => {
            let command = resume_command::without_plan(run, project);
            told.hint(format!("to resume with what can still be read: {command} --repair"))
        }
        Err(why) => hopeless(told, &why, run),
    }
}

/// Repairs the journal of a run that is ours, and says what became of it.
pub(crate) fn repair(
    run: &RunDir,
    lock: &mut JournalLock,
    hold: &Hold,
    screen: &mut Screen,
) -> Result<PastRun, CliError> {
    let repaired = repair::repair(lock, hold, now().wall)
        .map_err(|why| CliError::wrong(hopeless(Diagnostic::error(in_full(&why)), &why, run)))?;
    screen.tell(&[told(&repaired)]);
    recorded::read(run).map_err(|error| CliError::wrong(Diagnostic::error(in_full(&error))))
}

fn hopeless(error: Diagnostic, why: &RepairError, run: &RunDir) -> Diagnostic {
    match why {
        RepairError::NoPlan { .. } => error
            .hint(
                "without its first line, which held the plan, a run cannot be resumed: start a new one",
            )
            .maybe_hint(kept_output(run)),
        RepairError::NewerFormat { .. } | RepairError::File(_) => error,
    }
}

/// Where to find what agents printed, if there is any of it.
fn kept_output(run: &RunDir) -> Option<String> {
    let output = run.output();
    // What cannot be listed is of no use to anybody.
    let is_there = fs::read_dir(&output).is_ok_and(|mut entries| entries.next().is_some());
    is_there.then(|| format!("what its agents printed is still there: {}", output.display()))
}

fn told(repaired: &Repaired) -> Diagnostic {
    let mut told = Diagnostic::warning("the journal was damaged, and has been repaired");
    told.hints.extend(listed("dropped", &repaired.dropped));
    if repaired.vanished > 0 {
        told.hints.push(format!("not there at all: {}", lines(repaired.vanished)));
    }
    told.hints.extend(listed("inferred", &repaired.inferred));
    if repaired.inferred.iter().any(is_resume) {
        told.hints
            .push("limits that an earlier resume changed are lost; the original ones apply".into());
    }
    told.hint(format!("the damaged journal is kept: {}", repaired.original.display()))
}

fn is_resume(inferred: &InferredEvent) -> bool {
    matches!(inferred.event.kind, EventKind::RunResumed { .. })
}

fn lines(count: u64) -> String {
    forkhestra_core::words::count(usize::try_from(count).unwrap_or(usize::MAX), "line")
}

fn listed<T: ToString>(what: &str, items: &[T]) -> Vec<String> {
    let shown = items.iter().take(MOST_TOLD);
    let mut told: Vec<String> =
        shown.map(|item| format!("{what}: {}", visible(&item.to_string()))).collect();
    let more = items.len().saturating_sub(MOST_TOLD);
    if more > 0 {
        told.push(format!("{what}: {more} more"));
    }
    told
}
