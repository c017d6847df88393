//! Reads the history of a run from its journal.

use std::fs::{self, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use forkhestra_core::history::{HistoryMismatch, Liveness, RunActivity, RunHistory};
use forkhestra_core::time::Timestamp;

use crate::disk::file_error::FileError;
use crate::disk::reading;
use crate::format::DecodeError;
use crate::journal::journal_contents::{
    self, JournalContents, JournalReadError, RemovedEnd, WrongHash,
};
use crate::runs::listed_run::has_run_leftovers;
use crate::runs::run_dir::RunDir;
use crate::runs::run_overview;
use crate::runs::state_root::entries;

/// Upper bound for the time between two recorded events.
const MAX_UNRECORDED_TIME: Duration = Duration::from_secs(7 * 86_400);

/// A run as its journal records it.
#[derive(Debug)]
pub struct RecordedRun {
    pub history: RunHistory,
    pub recorded: JournalContents,
}

impl RecordedRun {
    /// The run's time, awake and not paused, at the last recorded event.
    pub fn recorded_time(&self) -> Duration {
        self.recorded.events.last().map(|event| event.elapsed).unwrap_or_default()
    }
}

/// Why the history of a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error(transparent)]
    Read(#[from] JournalReadError),
    /// A line does not continue the chain of hashes.
    #[error("line {} of {} {}", broken.line, path.display(), broken.why)]
    WrongHash { path: PathBuf, broken: WrongHash },
    /// Lines are missing at the end.
    #[error("{} {end}", path.display())]
    RemovedEnd { path: PathBuf, end: RemovedEnd },
    /// An event does not follow from the events before it.
    #[error("line {} of {} {}", misfit.number, path.display(), misfit.why)]
    Misfit { path: PathBuf, misfit: HistoryMismatch },
}

impl HistoryError {
    /// Whether a [repair](crate::repair::repair) can fix this.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Read(JournalReadError::Line { why, .. }) => {
                !matches!(why, DecodeError::NewerFormat { .. })
            }
            Self::Read(
                JournalReadError::OutOfOrder { .. } | JournalReadError::NotAJournal { .. },
            )
            | Self::WrongHash { .. }
            | Self::RemovedEnd { .. }
            | Self::Misfit { .. } => true,
            Self::Read(JournalReadError::File(_) | JournalReadError::Empty { .. }) => false,
        }
    }

    /// Whether a newer version wrote the journal, so that only a newer version can read it.
    pub fn needs_newer_version(&self) -> bool {
        matches!(
            self,
            Self::Read(JournalReadError::Line { why: DecodeError::NewerFormat { .. }, .. })
        )
    }

    /// Whether the run was interrupted before its first event was recorded.
    pub fn is_empty_run(&self) -> bool {
        match self {
            Self::Read(JournalReadError::Empty { .. }) => true,
            Self::Read(JournalReadError::File(error)) => {
                error.source.kind() == std::io::ErrorKind::NotFound
            }
            Self::Read(_)
            | Self::WrongHash { .. }
            | Self::RemovedEnd { .. }
            | Self::Misfit { .. } => false,
        }
    }

    /// Whether no event of the run was ever recorded: it has no other files, either.
    pub fn is_unrecorded_run(&self, run: &RunDir) -> bool {
        self.is_empty_run() && !has_run_leftovers(run)
    }
}

/// Reads the history of a run as [`read`] does, and requires that its chain of hashes is unbroken and
/// that no line is missing at its end.
pub fn read_unbroken(run: &RunDir) -> Result<RecordedRun, HistoryError> {
    let past = read(run)?;
    let path = run.journal();
    // A newer version may have other rules, and what it wrote is not continued.
    if !past.recorded.format.is_writable() {
        return Ok(past);
    }
    match (past.recorded.wrong_hash, past.recorded.removed_end) {
        (Some(broken), _) => Err(HistoryError::WrongHash { path, broken }),
        (None, Some(end)) => Err(HistoryError::RemovedEnd { path, end }),
        (None, None) => Ok(past),
    }
}

/// Reads the history of a run. For an interrupted run, it includes the time that the run continued
/// after its last event, as far as that is known.
pub fn read(run: &RunDir) -> Result<RecordedRun, HistoryError> {
    let path = run.journal();
    // First the length that was noted: the run may end meanwhile.
    let noted = run_overview::noted_length(run);
    let mut recorded = journal_contents::read(&path)?;
    let length = recorded.length_read();
    let removed = noted.filter(|noted| *noted > length);
    recorded.removed_end = removed.map(|recorded| RemovedEnd { length, recorded });
    let mut history = RunHistory::of(&recorded.events).map_err(|mut misfit| {
        misfit.number = recorded.line_of(misfit.number);
        HistoryError::Misfit { path, misfit }
    })?;
    if history.state.end.is_none() {
        let lost = unrecorded_time(run, &history).map_err(JournalReadError::File)?;
        history.state.add_lost_time(lost);
    }
    Ok(RecordedRun { history, recorded })
}

/// The time that the run continued after its last recorded event: until the last output of the
/// agents or aux jobs at work. The modification time of the journal is not used: copies and backups
/// change it. Clocks may have been set: output is never later than now, and an implausibly long time
/// is ignored.
fn unrecorded_time(run: &RunDir, history: &RunHistory) -> Result<Duration, FileError> {
    let of_lanes = history.lanes.lanes.iter().map(|lane| lane.activity);
    let outputs = of_lanes.chain([history.activity]).filter_map(|activity| match activity {
        RunActivity::AgentRunning { unit, .. } => Some(run.output_of(unit)),
        RunActivity::AuxJobRunning { job, .. } => Some(run.output_of_aux_job(job)),
        _ => None,
    });
    let mut last = None;
    for output in outputs {
        last = last.max(Some(SystemTime::UNIX_EPOCH));
        for file in entries(&output)? {
            let modified = fs::metadata(&file).and_then(|metadata| metadata.modified());
            last = last.max(Some(modified.map_err(FileError::of("read", &file))?));
        }
    }
    let Some(last) = last else { return Ok(Duration::ZERO) };
    let passed = timestamp(last.min(SystemTime::now())).saturating_since(history.updated);
    Ok(if passed > MAX_UNRECORDED_TIME { Duration::ZERO } else { passed })
}

fn timestamp(time: SystemTime) -> Timestamp {
    // Times before 1970 become the epoch.
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_milliseconds(since.as_millis().try_into().unwrap_or(i64::MAX))
}

/// Whether a process works on a run: that process has the journal locked.
pub fn liveness(run: &RunDir) -> Liveness {
    let Ok(journal) = reading::open(&run.journal()) else { return Liveness::Gone };
    match journal.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Liveness::Alive,
        // Dropping the file releases the lock. Without support for locks the answer is unknown.
        Ok(()) | Err(TryLockError::Error(_)) => Liveness::Gone,
    }
}
