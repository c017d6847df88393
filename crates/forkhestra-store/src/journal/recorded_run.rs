//! Reading a run for somebody who wants to know what happened in it.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use forkhestra_core::history::{HistoryMismatch, Liveness, RunHistory};

use crate::format::DecodeError;
use crate::journal::journal_contents::{self, JournalContents, JournalReadError};
use crate::runs::run_dir::RunDir;

/// No agent works for longer without anything to be recorded.
const LONGEST_UNRECORDED: Duration = Duration::from_secs(7 * 86_400);

/// A run as its journal tells of it.
#[derive(Debug)]
pub struct RecordedRun {
    /// What happened.
    pub history: RunHistory,
    /// The journal.
    pub recorded: JournalContents,
}

impl RecordedRun {
    /// How long the run had been running, awake and not paused, when the last thing was recorded.
    pub fn recorded_time(&self) -> Duration {
        self.recorded.events.last().map(|event| event.elapsed).unwrap_or_default()
    }
}

/// Why nobody can tell what happened in a run.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// Its journal cannot be read.
    #[error(transparent)]
    Read(#[from] JournalReadError),
    /// Its journal tells of something that cannot have happened.
    #[error("event {} of {} {}", misfit.number, path.display(), misfit.why)]
    Misfit {
        /// The journal.
        path: PathBuf,
        /// What.
        misfit: HistoryMismatch,
    },
}

impl HistoryError {
    /// Whether this is what a [repair](crate::repair::repair) is for.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Read(JournalReadError::Line { why, .. }) => {
                !matches!(why, DecodeError::NewerFormat { .. })
            }
            Self::Read(
                JournalReadError::OutOfOrder { .. } | JournalReadError::NotAJournal { .. },
            )
            | Self::Misfit { .. } => true,
            Self::Read(JournalReadError::File(_) | JournalReadError::Empty { .. }) => false,
        }
    }

    /// Whether it was written by a newer version, and only such a one can read it.
    pub fn needs_newer_version(&self) -> bool {
        matches!(
            self,
            Self::Read(JournalReadError::Line { why: DecodeError::NewerFormat { .. }, .. })
        )
    }

    /// Whether the run was cut off before anything of it was recorded.
    pub fn is_empty_run(&self) -> bool {
        match self {
            Self::Read(JournalReadError::Empty { .. }) => true,
            Self::Read(JournalReadError::File(error)) => {
                error.source.kind() == std::io::ErrorKind::NotFound
            }
            Self::Read(_) | Self::Misfit { .. } => false,
        }
    }
}

/// Reads what happened in a run. Of one that was cut off, the time that it went on after its last
/// event counts as far as anybody can tell.
pub fn read(run: &RunDir) -> Result<RecordedRun, HistoryError> {
    let path = run.journal();
    let recorded = journal_contents::read(&path)?;
    let mut history =
        RunHistory::of(&recorded.events).map_err(|misfit| HistoryError::Misfit { path, misfit })?;
    if history.state.end.is_none() {
        history.state.add_lost_time(unrecorded_time(&recorded));
    }
    Ok(RecordedRun { history, recorded })
}

/// How long the run went on after the last thing it recorded. Clocks may have been wrong: nothing was
/// printed after now, and what seems to have taken very long shows only that the clock was set.
fn unrecorded_time(recorded: &JournalContents) -> Duration {
    let last = recorded.events.last().map(|event| event.at).unwrap_or_default();
    let until = recorded.last_sign_of_life.min(journal_contents::timestamp(SystemTime::now()));
    let passed = until.saturating_since(last);
    if passed > LONGEST_UNRECORDED { Duration::ZERO } else { passed }
}

/// Whether somebody is at work on a run: whoever is has its journal locked.
pub fn liveness(run: &RunDir) -> Liveness {
    let Ok(journal) = File::open(run.journal()) else { return Liveness::Gone };
    match journal.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Liveness::Alive,
        // Given back with the file. Where there are no locks nobody can tell.
        Ok(()) | Err(TryLockError::Error(_)) => Liveness::Gone,
    }
}
