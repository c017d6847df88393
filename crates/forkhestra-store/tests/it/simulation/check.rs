//! Checks the guarantees after a failure.

use std::io::ErrorKind;
use std::path::Path;

use forkhestra_core::event::Event;
use forkhestra_store::journal::journal_contents::{self, JournalReadError};
use forkhestra_store::{RunDir, WorkTreeLock};

use super::disk::disk_contents::DiskContents;
use super::journal_knowledge::{JournalKnowledge, MachineFailure};
use super::run_scripts::{REST_OF_A_RUN, WHOLE_RUN};
use super::simulated_writer::{SimulatedState, SimulatedWriter, lock_owner};

/// The number of the process that starts after the failure.
const NEXT: u64 = 31;

/// Writes these contents to a disk, and does what the next process does with them.
pub(crate) fn check(
    top: &Path,
    contents: &DiskContents,
    knowledge: &JournalKnowledge,
    accident: MachineFailure,
) -> Result<(), String> {
    let state = SimulatedState::new(top, contents);
    let acquired =
        WorkTreeLock::acquire(&state.tree, &lock_owner(NEXT)).map_err(|error| error.to_string())?;
    if let Some(leftover) = acquired.leftover
        && ![0, 1, 2, 3].contains(&leftover.pid)
    {
        return Err(format!("{leftover} never was"));
    }
    acquired.lock.release().map_err(|error| error.to_string())?;
    let run = knowledge.run.and_then(|run| state.run(run));
    let found = run.map(|run| (journal_contents::read(&run.journal()), run));
    match found {
        Some((Ok(recorded), run)) => {
            knowledge.verify(&recorded.events, accident)?;
            goes_on(&state, &run, recorded.events)
        }
        Some((Err(error), _)) if !holds_nothing(&error) => Err(error.to_string()),
        Some(_) | None if knowledge.promised(accident) > 0 => Err("the journal is gone".to_owned()),
        Some(_) | None => begins_anew(&state),
    }
}

fn holds_nothing(error: &JournalReadError) -> bool {
    match error {
        JournalReadError::Empty { .. } => true,
        JournalReadError::File(error) => error.source.kind() == ErrorKind::NotFound,
        _ => false,
    }
}

fn goes_on(state: &SimulatedState, run: &RunDir, mut expected: Vec<Event>) -> Result<(), String> {
    expected.extend_from_slice(&REST_OF_A_RUN);
    let write = || {
        let mut process = SimulatedWriter::resume(state, run, NEXT)?;
        process.append_all(&REST_OF_A_RUN)?;
        process.end()
    };
    write().map_err(|trouble| format!("the run cannot go on: {trouble}"))?;
    is_whole(run, &expected)?;
    is_unowned(run)
}

fn begins_anew(state: &SimulatedState) -> Result<(), String> {
    let events = &WHOLE_RUN[..4];
    let write = || {
        let mut process = SimulatedWriter::start(state, NEXT)?;
        process.append_all(events)?;
        process.end()
    };
    write().map_err(|trouble| format!("no run can begin: {trouble}"))?;
    let run = state.run(NEXT).ok_or("the new run is not there")?;
    is_whole(&run, events)?;
    is_unowned(&run)
}

/// Checks that a journal holds exactly these events.
pub(crate) fn is_whole(run: &RunDir, expected: &[Event]) -> Result<(), String> {
    let recorded = journal_contents::read(&run.journal()).map_err(|error| error.to_string())?;
    if recorded.events != expected || recorded.torn.is_some() {
        return Err(format!("the journal holds something else: {recorded:?}"));
    }
    Ok(())
}

fn is_unowned(run: &RunDir) -> Result<(), String> {
    if run.path().join("owner").exists() { Err("the owner is still named".into()) } else { Ok(()) }
}
