//! What can be wrong with a recording.

use std::path::PathBuf;

use forkhestra_core::id::RunId;

use super::VERSION;
use crate::error::FileError;
use crate::format::Version;

/// Why a directory cannot be used as a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// There is nothing.
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    /// It is something else.
    #[error("{} is not a recording: there is no {file} in it", directory.display())]
    NotARecording {
        /// The directory.
        directory: PathBuf,
        /// The file that every recording has.
        file: &'static str,
    },
    /// A version that we would misunderstand wrote it.
    #[error(
        "{} has version {version} of the format, and this program reads {}.x",
        path.display(), VERSION.major
    )]
    OtherVersion {
        /// The file that says so.
        path: PathBuf,
        /// Its version.
        version: Version,
    },
    /// A file of it is not what it should be.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The run that was recorded had no such step.
    #[error("{} has no step {step}: the run had {steps}", directory.display())]
    NoSuchStep {
        /// The recording.
        directory: PathBuf,
        /// The step that was asked for.
        step: usize,
        /// How many there are.
        steps: usize,
    },
    /// There is no such iteration.
    #[error(
        "iteration {iteration} of step {step} ({agent}) was not recorded: {} in {}",
        how_many(*recorded), directory.display()
    )]
    NotRecorded {
        /// The recording.
        directory: PathBuf,
        /// The step.
        step: usize,
        /// Its agent.
        agent: String,
        /// The iteration that was asked for.
        iteration: u32,
        /// How many of the step were recorded.
        recorded: usize,
    },
    /// A recording would be written where something else is.
    #[error("{} is not empty, and no recording", .0.display())]
    InTheWay(PathBuf),
    /// A recording would be written where another one is.
    #[error("{} already holds the recording of run {run}", directory.display())]
    AlreadyThere {
        /// The directory.
        directory: PathBuf,
        /// The run that was recorded.
        run: RunId,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

fn how_many(recorded: usize) -> String {
    match recorded {
        0 => "there is none of this step".to_owned(),
        1 => "there is one of this step".to_owned(),
        _ => format!("there are {recorded} of this step"),
    }
}
