//! Does what an agent did: prints what it printed when it printed it, makes of the work tree what it
//! made of it, and ends as it ended, or as a fault has it.
//!
//! It is a process of its own, in place of the agent, so that everything around it is real.

mod effects;
mod ending;
mod limit;
mod outline;
mod pace;
mod performance;
mod score;
#[cfg(test)]
mod tests;
mod trouble;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use forkhestra_core::config::Backend;
use forkhestra_core::plan::FaultKind;
use forkhestra_store::recording::{Recording, RecordingError, UnitRecording};

use crate::args_replay::PlayArgs;
use crate::project::Environment;

use limit::Limit;
use pace::wait_until;
use performance::{Stage, Stopped, perform};
use score::Score;

pub(crate) use effects::{Here, fits};
pub(crate) use ending::Ending;
pub(crate) use score::check_fault;
pub(crate) use trouble::Trouble;

/// Plays one try of an iteration in a working directory, and says how to end.
pub(crate) fn play(
    args: &PlayArgs,
    directory: &Path,
    environment: &Environment,
) -> Result<Ending, Trouble> {
    let unit = UnitRecording::open(&args.unit)?;
    let fault = args.fault.map(|fault| fault.kind);
    let score = Score::of(&unit.directory, fault)?;
    let (began, speed) = (Instant::now(), args.speed);
    let ours: Vec<&Path> = args.ours.iter().map(PathBuf::as_path).collect();
    let here = Here { directory, ours: &ours, environment: &environment.inherited };
    let mut stage = Stage {
        stdout: &mut io::stdout().lock(),
        stderr: &mut io::stderr().lock(),
        wait_until: &mut |at| wait_until(began, at, speed),
        effects: &mut || effects::make(&unit, &here, args.again),
    };
    let stopped = perform(unit.chunks()?, &score, &mut stage)?;
    match (stopped, fault) {
        (Stopped::AtFault, Some(FaultKind::Limit(_))) => {
            let limit = Limit::of(backend(&unit)?, seconds_since_1970());
            stage.print(&limit.stdout, &limit.stderr)?;
            Ok(Ending::Exit(limit.code))
        }
        (Stopped::AtFault, Some(FaultKind::Crash(_))) => Ok(Ending::KILLED),
        (Stopped::AtFault, _) => Ok(Ending::Exit(1)),
        (Stopped::AtEnd, Some(FaultKind::Hang)) => Ok(Ending::Never),
        (Stopped::AtEnd, _) => {
            // It may have gone on without a word.
            wait_until(began, Duration::from_millis(unit.record.duration_ms), speed);
            Ok(Ending::of(&unit.record))
        }
    }
}

/// Whose stream was recorded.
fn backend(unit: &UnitRecording) -> Result<Option<Backend>, RecordingError> {
    let directory = unit.directory.parent().unwrap_or(Path::new("."));
    let recording = Recording::open(directory)?;
    let step = recording.steps().iter().find(|step| step.number == unit.record.step);
    Ok(step.and_then(|step| step.backend))
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
