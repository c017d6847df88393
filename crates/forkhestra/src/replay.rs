//! Plays the recording of an agent: its output with its timing, its changes to the work tree and
//! its end. The player is a process of its own, started in place of the agent.

mod effects;
mod replay_end;
mod replay_error;
#[cfg(test)]
mod tests;
mod timing;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_engine::effects::ReplayTarget;
use forkhestra_store::recording::{RecordedChunk, RecordingError, UnitRecording};

use crate::cli::args::recording::PlayRecordingArgs;
use crate::project::project_location::ProgramEnvironment;

pub(crate) use replay_end::ReplayEnd;
pub(crate) use replay_error::ReplayError;

/// Plays one attempt of an iteration in a working directory. Returns how the player has to end.
pub(crate) fn play(
    args: &PlayRecordingArgs,
    directory: &Path,
    environment: &ProgramEnvironment,
) -> Result<ReplayEnd, ReplayError> {
    let unit = UnitRecording::open(&args.unit)?;
    let own_paths: Vec<&Path> = args.ours.iter().map(PathBuf::as_path).collect();
    let environment = &environment.inherited;
    let target =
        ReplayTarget { directory, own_paths: &own_paths, environment, is_retry: args.again };
    let began = Instant::now();
    let wait_until = |at| timing::wait_until(began, at, args.speed);
    perform(
        unit.chunks()?,
        &mut |RecordedChunk { at, stream, bytes }| {
            wait_until(at);
            Ok(print(stream, &bytes)?)
        },
        &mut || effects::apply_effects(&unit, target),
    )?;
    // The agent may have continued without output.
    wait_until(Duration::from_millis(unit.record.duration_ms));
    Ok(ReplayEnd::of(&unit.record))
}

/// Prints all chunks in order, and changes the work tree before the last one.
fn perform(
    chunks: impl Iterator<Item = Result<RecordedChunk, RecordingError>>,
    print: &mut dyn FnMut(RecordedChunk) -> Result<(), ReplayError>,
    change_work_tree: &mut dyn FnMut() -> Result<(), ReplayError>,
) -> Result<(), ReplayError> {
    let mut last = None;
    for chunk in chunks {
        if let Some(earlier) = last.replace(chunk?) {
            print(earlier)?;
        }
    }
    change_work_tree()?;
    last.map_or(Ok(()), print)
}

fn print(stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
    match stream {
        OutputStream::Stdout => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes)?;
            stdout.flush()
        }
        OutputStream::Stderr => io::stderr().write_all(bytes),
    }
}
