//! What is stored beside the journal of a finished run, so that it need not be read again: the
//! [summary](RunOverview) for lists and the [statistics](RunStatistics).

use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::stats::RunStatistics;

use crate::disk::file_error::FileError;
use crate::journal::journal_contents::JournalContents;
use crate::journal::recorded_run::{self, HistoryError};
use crate::runs::run_dir::RunDir;
use crate::runs::run_overview::RunOverview;
use crate::runs::sealed_note::{self, NotedJournal};

/// Writes the notes of a finished run. The caller must hold the journal's lock.
pub fn write(history: &RunHistory, run: &RunDir) -> Result<(), FileError> {
    RunOverview::of(history, Liveness::Gone).write_note(run)?;
    write_statistics(history, run, NotedJournal::now(run)?)
}

/// Writes the notes of a run that was over when its journal was read. If the journal has changed
/// since, they are invalid.
pub fn write_if_unchanged(
    history: &RunHistory,
    run: &RunDir,
    recorded: &JournalContents,
) -> Result<(), FileError> {
    RunOverview::of(history, Liveness::Gone).write_note_if_unchanged(run, recorded)?;
    write_statistics(history, run, NotedJournal::read(recorded))
}

/// Removes the notes: the journal is accepted as it is.
pub fn remove(run: &RunDir) -> Result<(), FileError> {
    RunOverview::remove_note(run)?;
    sealed_note::remove(run, &run.statistics())
}

/// Reads the statistics of a run: from the note if it is valid and of this version, else from the
/// journal.
pub fn read_statistics(run: &RunDir) -> Result<RunStatistics, HistoryError> {
    if let Some(noted) = noted_statistics(run) {
        return Ok(noted);
    }
    let past = recorded_run::read_unbroken(run)?;
    let liveness = match past.history.state.end {
        Some(_) => Liveness::Gone,
        None => recorded_run::liveness(run),
    };
    Ok(RunStatistics::of(&past.history, liveness))
}

/// Reads the statistics of a run as [`read_statistics`] does. Returns `None` if no event of it was
/// ever recorded.
pub fn read_statistics_if_any(run: &RunDir) -> Option<Result<RunStatistics, HistoryError>> {
    match read_statistics(run) {
        Err(error) if error.is_unrecorded_run(run) => None,
        known => Some(known),
    }
}

/// The statistics in the note, if it is valid.
pub fn noted_statistics(run: &RunDir) -> Option<RunStatistics> {
    let noted: Option<RunStatistics> = sealed_note::read(run, &run.statistics());
    noted.filter(|noted| noted.version == RunStatistics::VERSION)
}

fn write_statistics(
    history: &RunHistory,
    run: &RunDir,
    journal: NotedJournal,
) -> Result<(), FileError> {
    let statistics = RunStatistics::of(history, Liveness::Gone);
    sealed_note::write(run, &run.statistics(), &statistics, journal)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use forkhestra_core::history::{ActivityTimes, ExecutionStatus};
    use forkhestra_core::id::RunId;
    use forkhestra_core::time::Timestamp;

    use super::*;
    use crate::runs::state_root::StateRoot;
    use crate::runs::work_tree_lock::LockProof;

    /// The seal of such a note is valid, so only its version tells that its members are others.
    #[test]
    fn a_note_of_another_version_is_not_read() {
        let directory = tempfile::tempdir().expect("there is room");
        let tree = StateRoot::new(directory.path()).work_tree(Path::new("/a"));
        let (id, started) = (RunId::from_random(1), Timestamp::default());
        let run = tree.create_run(&LockProof::Waived, &id, started).expect("there is room");
        fs::write(run.journal(), "{}\n").expect("there is room");
        let current = RunStatistics::VERSION;
        for version in [current - 1, current, current + 1] {
            let statistics = RunStatistics {
                version,
                run: id.clone(),
                chain: None,
                definition: "builder:3".to_owned(),
                working_directory: "/a".to_owned(),
                started,
                status: ExecutionStatus::Complete,
                is_replay: false,
                times: ActivityTimes::default(),
                agents: Vec::new(),
                tasks: Vec::new(),
                checks: Vec::new(),
            };
            let journal = NotedJournal::now(&run).expect("the journal is there");
            sealed_note::write(&run, &run.statistics(), &statistics, journal).expect("room");
            let expected = (version == current).then_some(statistics);
            assert_eq!(noted_statistics(&run), expected, "{version}");
        }
    }
}
