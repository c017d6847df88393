//! Records what agents do: what the engine sees, in the format of the store.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::AgentEnd;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::output_stream::OutputStream;
use forkhestra_core::plan::Plan;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::effects::EffectsFiles;
use forkhestra_engine::{Captured, Deeds, Recorder, now};
use forkhestra_store::disk::SYSTEM;
use forkhestra_store::output_log::Secrets;
use forkhestra_store::recording::{
    EndRecord, Manifest, Recording, RecordingError, UnitRecord, UnitWriter, VERSION,
};

use crate::error::{CliError, in_full};
use crate::preflight::problem;
use crate::project::Project;
use crate::screen::Screen;
use crate::version;

/// Begins to record a new run, if somebody wants that.
pub(super) fn begin_recording(
    run: &RunId,
    plan: &Plan,
    started: Timestamp,
    project: &Project,
) -> Result<Option<Recording>, CliError> {
    let Some(directory) = place(plan) else { return Ok(None) };
    let manifest = Manifest::of(run, started, plan, version::CURRENT);
    let recording = Recording::create(&SYSTEM, &directory, &manifest)
        .and_then(|recording| hide(recording, project));
    recording.map(Some).map_err(|error| CliError::wrong(problem(&error)))
}

/// Goes on to record a run that is resumed. One that cannot be recorded any more goes on without it.
pub(crate) fn go_on_recording(
    run: &RunId,
    plan: &Plan,
    project: &Project,
    screen: &mut Screen,
) -> Option<Recording> {
    let directory = place(plan)?;
    let manifest = Manifest::of(run, now().wall, plan, version::CURRENT);
    let recording = Recording::go_on(&SYSTEM, &directory, &manifest)
        .and_then(|recording| hide(recording, project));
    match recording {
        Ok(recording) => Some(recording),
        Err(error) => {
            let why = in_full(&error);
            screen.tell(&[Diagnostic::warning(format!("the run is not recorded any more: {why}"))]);
            None
        }
    }
}

fn place(plan: &Plan) -> Option<PathBuf> {
    Some(Path::new(&plan.working_directory).join(plan.record.as_ref()?))
}

/// Agents commit whatever they find in the work tree.
fn hide(recording: Recording, project: &Project) -> Result<Recording, RecordingError> {
    let directory = recording.directory();
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    if real.starts_with(project.work_tree()) {
        recording.hide_from_git(&SYSTEM)?;
    }
    Ok(recording)
}

/// Records a run.
pub(super) struct RunRecorder {
    recording: Recording,
    secrets: Arc<Secrets>,
    /// The unit at work.
    current: Mutex<Option<Current>>,
}

struct Current {
    unit: UnitId,
    started: Timestamp,
    reel: Arc<Mutex<Reel>>,
}

/// What is recorded of a unit, until something goes wrong.
type Reel = Result<UnitWriter, String>;

impl RunRecorder {
    pub(super) const fn new(recording: Recording, secrets: Arc<Secrets>) -> Self {
        Self { recording, secrets, current: Mutex::new(None) }
    }

    /// What records a stream of a unit, if that is recorded.
    pub(super) fn tape(&self, unit: UnitId, stream: OutputStream) -> Option<Tape> {
        let current = lock(&self.current);
        let current = current.as_ref().filter(|current| current.unit == unit)?;
        Some(Tape { reel: Arc::clone(&current.reel), stream })
    }
}

impl Recorder for RunRecorder {
    fn place(&self) -> &Path {
        self.recording.directory()
    }

    fn begin(&self, unit: UnitId) -> Result<(), String> {
        let mut current = lock(&self.current);
        *current = None;
        let writer = UnitWriter::create(&SYSTEM, &self.recording, unit, &self.secrets)
            .map_err(|error| in_full(&error))?;
        let reel = Arc::new(Mutex::new(Ok(writer)));
        *current = Some(Current { unit, started: now().wall, reel });
        Ok(())
    }

    fn end(&self, unit: UnitId, deeds: Deeds, effects: Captured) -> Result<(), String> {
        let current = lock(&self.current).take().filter(|current| current.unit == unit);
        let Some(Current { started, reel, .. }) = current else { return Ok(()) };
        // Nobody prints any more.
        let reel = std::mem::replace(&mut *lock(&reel), Err("it is over".to_owned()));
        let writer = reel?;
        let (record, files) = describe(unit, started, deeds, effects)?;
        writer.finish(&record, &files).map_err(|error| in_full(&error))
    }
}

/// Records a stream. Whatever becomes of that, the agent and its log are not disturbed.
pub(super) struct Tape {
    reel: Arc<Mutex<Reel>>,
    stream: OutputStream,
}

impl Tape {
    pub(super) fn append(&self, bytes: &[u8]) {
        let mut reel = lock(&self.reel);
        if let Ok(writer) = &mut *reel
            && let Err(error) = writer.append(self.stream, bytes)
        {
            *reel = Err(error.to_string());
        }
    }

    /// Takes note that something is missing from here on.
    pub(super) fn cut_off(&self, error: &io::Error) {
        *lock(&self.reel) = Err(format!("its log cannot be written: {error}"));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The record of a unit, with the files that it names.
fn describe(
    unit: UnitId,
    started: Timestamp,
    deeds: Deeds,
    effects: Captured,
) -> Result<(UnitRecord, EffectsFiles), String> {
    let end = match deeds.end {
        AgentEnd::Exited(code) => EndRecord::Exited(code),
        AgentEnd::Signaled(signal) => EndRecord::Signaled(signal),
        AgentEnd::NotStarted { reason, .. } => return Err(format!("it never ran: {reason}")),
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
        duration_ms: u64::try_from(deeds.duration.as_millis()).unwrap_or(u64::MAX),
        end,
        ended_because: deeds.ending.map(|ending| ending.word().to_owned()),
        class: deeds.class.map(|class| class.word().to_owned()),
        spend: deeds.spend,
        effects,
        no_effects_because,
    };
    Ok((record, files))
}
