//! Recordings on disk that are played in place of agents.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forkhestra_core::event::StopReason;
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::Replay;
use forkhestra_engine::effects::{ReplayTarget, check};
use forkhestra_engine::{Recordings, ReplayedUnit};
use forkhestra_store::recording::{Recording, RecordingError, UnitRecording};

use crate::cli::command_error::in_full;

/// Provides recorded units from disk to the engine.
pub(super) struct DiskRecordings {
    pub(super) environment: Vec<(OsString, OsString)>,
    /// Paths in the work tree that belong to forkhestra and do not count as work.
    pub(super) own_paths: Vec<PathBuf>,
}

impl Recordings for DiskRecordings {
    fn replayed_unit(
        &self,
        replay: &Replay,
        unit: UnitId,
        directory: &Path,
    ) -> Result<ReplayedUnit, String> {
        let UnitId { iteration, attempt, .. } = unit;
        let place = directory.join(&replay.recording);
        let recorded = Recording::open(&place)
            .and_then(|recording| choose(&recording, replay, iteration, attempt))
            .map_err(|error| format!("the recording cannot be played: {}", in_full(&error)))?;
        let own_paths: Vec<PathBuf> = self.own_paths.iter().cloned().chain([place]).collect();
        let paths: Vec<&Path> = own_paths.iter().map(PathBuf::as_path).collect();
        if let Some(effects) = &recorded.record.effects {
            let (environment, again) = (&self.environment[..], attempt > 1);
            let target =
                ReplayTarget { directory, own_paths: &paths, environment, is_retry: again };
            check(effects, target).map_err(|error| in_full(&error))?;
        }
        Ok(ReplayedUnit { recorded: recorded.directory, own_paths })
    }
}

/// Selects the recorded attempt: the same one, or else the last. An attempt that was cancelled was
/// retried when it was recorded, so the last attempt is played instead.
fn choose(
    recording: &Recording,
    replay: &Replay,
    iteration: u32,
    attempt: u32,
) -> Result<UnitRecording, RecordingError> {
    let step = replay.step;
    let same = recording.unit(step, iteration, attempt)?;
    match same.record.ended_because.as_deref() {
        Some(word) if word == StopReason::Cancelled.as_str() => {
            recording.unit(step, iteration, u32::MAX)
        }
        _ => Ok(same),
    }
}
