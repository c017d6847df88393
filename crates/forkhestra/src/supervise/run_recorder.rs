//! Records what agents do: writes the engine's observations in the store's recording format.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::ProcessEnd;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::plan::Plan;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::effects::EffectsFiles;
use forkhestra_engine::{CapturedEffects, UnitOutcome, UnitRecorder, now};
use forkhestra_store::disk::{NO_FOLLOW_DISK, SYSTEM};
use forkhestra_store::output_log::Secrets;
use forkhestra_store::recording::{
    EndRecord, Recording, RecordingError, RecordingManifest, UnitRecord, UnitRecordingWriter,
    VERSION,
};

use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::cli::version;
use crate::preflight::problem;
use crate::project::project_location::ProjectLocation;

/// Starts the recording of a new run, if one is requested.
pub(super) fn begin_recording(
    run: &RunId,
    plan: &Plan,
    started: Timestamp,
    project: &ProjectLocation,
) -> Result<Option<Recording>, CommandError> {
    let Some(directory) = recording_directory(plan) else { return Ok(None) };
    let manifest = RecordingManifest::of(run, started, plan, version::CURRENT);
    let recording = Recording::create(&SYSTEM, &directory, &manifest)
        .and_then(|recording| hide(recording, project));
    recording.map(Some).map_err(|error| CommandError::wrong(problem(&error)))
}

/// Continues the recording of a resumed run. If that fails, the run continues without it.
pub(crate) fn resume_recording(
    run: &RunId,
    plan: &Plan,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Option<Recording> {
    let directory = recording_directory(plan)?;
    let manifest = RecordingManifest::of(run, now().wall, plan, version::CURRENT);
    let recording = Recording::resume(&SYSTEM, &directory, &manifest)
        .and_then(|recording| hide(recording, project));
    match recording {
        Ok(recording) => Some(recording),
        Err(error) => {
            let why = in_full(&error);
            screen
                .report(&[Diagnostic::warning(format!("the run is not recorded any more: {why}"))]);
            None
        }
    }
}

fn recording_directory(plan: &Plan) -> Option<PathBuf> {
    Some(Path::new(&plan.working_directory).join(plan.record.as_ref()?))
}

/// Hides a recording inside the work tree from git: agents commit every file they find.
fn hide(recording: Recording, project: &ProjectLocation) -> Result<Recording, RecordingError> {
    let directory = recording.directory();
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    if real.starts_with(project.work_tree()) {
        recording.hide_from_git(&SYSTEM)?;
    }
    Ok(recording)
}

/// Records the units of a run.
pub(crate) struct RunRecorder {
    recording: Recording,
    secrets: Arc<Secrets>,
    current: Mutex<Option<CurrentUnit>>,
}

struct CurrentUnit {
    unit: UnitId,
    started: Timestamp,
    writer: Arc<Mutex<UnitWriterState>>,
}

/// The writer of a unit's recording, or the first error.
type UnitWriterState = Result<UnitRecordingWriter, String>;

impl RunRecorder {
    pub(super) const fn new(recording: Recording, secrets: Arc<Secrets>) -> Self {
        Self { recording, secrets, current: Mutex::new(None) }
    }

    /// The recorder for a stream of the unit, if that unit is recorded.
    pub(super) fn stream_recorder(
        &self,
        unit: UnitId,
        stream: OutputStream,
    ) -> Option<StreamRecorder> {
        let current = lock(&self.current);
        let current = current.as_ref().filter(|current| current.unit == unit)?;
        Some(StreamRecorder { writer: Arc::clone(&current.writer), stream })
    }
}

impl UnitRecorder for RunRecorder {
    fn directory(&self) -> &Path {
        self.recording.directory()
    }

    fn begin(&self, unit: UnitId) -> Result<(), String> {
        let mut current = lock(&self.current);
        *current = None;
        let writer =
            UnitRecordingWriter::create(&NO_FOLLOW_DISK, &self.recording, unit, &self.secrets)
                .map_err(|error| in_full(&error))?;
        let recording_writer = Arc::new(Mutex::new(Ok(writer)));
        *current = Some(CurrentUnit { unit, started: now().wall, writer: recording_writer });
        Ok(())
    }

    fn end(
        &self,
        unit: UnitId,
        outcome: UnitOutcome,
        effects: CapturedEffects,
    ) -> Result<(), String> {
        let current = lock(&self.current).take().filter(|current| current.unit == unit);
        let Some(CurrentUnit { started, writer: recording_writer, .. }) = current else {
            return Ok(());
        };
        // The streams of the unit are closed.
        let recording_writer =
            std::mem::replace(&mut *lock(&recording_writer), Err("it is over".to_owned()));
        let writer = recording_writer?;
        let (record, files) = describe(unit, started, outcome, effects)?;
        writer.finish(&record, &files).map_err(|error| in_full(&error))
    }
}

/// Records a stream. Errors of recording affect neither the agent nor its log.
pub(crate) struct StreamRecorder {
    writer: Arc<Mutex<UnitWriterState>>,
    stream: OutputStream,
}

impl StreamRecorder {
    pub(super) fn append(&self, bytes: &[u8]) {
        let mut recording_writer = lock(&self.writer);
        if let Ok(writer) = &mut *recording_writer
            && let Err(error) = writer.append(self.stream, bytes)
        {
            *recording_writer = Err(error.to_string());
        }
    }

    /// Marks the recording as incomplete from here on.
    pub(super) fn cut_off(&self, error: &io::Error) {
        *lock(&self.writer) = Err(format!("its log cannot be written: {error}"));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The record of a unit and the files it refers to.
fn describe(
    unit: UnitId,
    started: Timestamp,
    outcome: UnitOutcome,
    effects: CapturedEffects,
) -> Result<(UnitRecord, EffectsFiles), String> {
    let end = match outcome.end {
        ProcessEnd::Exited(code) => EndRecord::Exited(code),
        ProcessEnd::Signaled(signal) => EndRecord::Signaled(signal),
        ProcessEnd::NotStarted { reason, .. } => return Err(format!("it never ran: {reason}")),
    };
    let (effects, no_effects_because, files) = match effects {
        Ok((effects, files)) => (Some(effects), None, files),
        Err(why) => (None, Some(why), EffectsFiles::new()),
    };
    let record = UnitRecord {
        format: VERSION,
        step: unit.step,
        iteration: unit.iteration,
        attempt: unit.attempt,
        started: started.to_string(),
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        end,
        ended_because: outcome.stop_reason.map(|stop_reason| stop_reason.as_str().to_owned()),
        class: outcome.class.map(|class| class.as_str().to_owned()),
        spend: outcome.spend,
        effects,
        no_effects_because,
    };
    Ok((record, files))
}
