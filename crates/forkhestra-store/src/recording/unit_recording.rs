//! One recorded attempt of an iteration.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use forkhestra_core::id::UnitId;
use forkhestra_core::recording::RecordedEffects;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::VERSION;
use super::error::RecordingError;
use super::recorded_chunks::RecordedChunks;
use crate::disk::file_error::FileError;
use crate::disk::reading;
use crate::format::Version;
use forkhestra_core::cost::Spend;

/// The file that makes a unit complete.
pub(super) const UNIT_FILE: &str = "unit.json";

/// How one attempt of an iteration went: the content of `unit.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnitRecord {
    pub format: Version,
    /// From one.
    pub step: usize,
    /// From one.
    pub iteration: u32,
    /// From one.
    pub attempt: u32,
    /// UTC.
    pub started: String,
    /// The time until all its processes had ended, in milliseconds.
    pub duration_ms: u64,
    pub end: EndRecord,
    /// Why forkhestra ended it, in one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_because: Option<String>,
    /// Its outcome by its own stream, in one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Its reported cost, as in journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend: Option<Spend>,
    /// Its changes to the repository, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<RecordedEffects>,
    /// Why they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_effects_because: Option<String>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EndRecord {
    Exited(i32),
    Signaled(i32),
}

/// A recorded attempt of an iteration on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitRecording {
    pub record: UnitRecord,
    /// A directory such as `1-2-1`.
    pub directory: PathBuf,
}

impl UnitRecording {
    /// Reads the directory of a unit.
    pub fn open(directory: &Path) -> Result<Self, RecordingError> {
        Ok(Self { record: read(directory, UNIT_FILE)?, directory: directory.to_owned() })
    }

    /// The id of the unit.
    pub const fn unit(&self) -> UnitId {
        let UnitRecord { step, iteration, attempt, .. } = self.record;
        UnitId { step, iteration, attempt }
    }

    /// The output of the agent, in order.
    pub fn chunks(&self) -> Result<RecordedChunks, RecordingError> {
        RecordedChunks::open(&self.directory)
    }

    /// The content of a file that the record names: a patch or a commit.
    pub fn file(&self, name: &str) -> Result<Vec<u8>, RecordingError> {
        if Path::new(name).file_name() != Some(name.as_ref()) {
            let why = format!("it names the file `{name}`, which is in another directory");
            return Err(RecordingError::damaged(&self.directory.join(UNIT_FILE), why));
        }
        let path = self.directory.join(name);
        let mut content = Vec::new();
        let read = reading::open(&path).and_then(|mut file| file.read_to_end(&mut content));
        read.map_err(FileError::of("read", &path))?;
        Ok(content)
    }
}

/// The member that every versioned file has.
#[derive(Deserialize)]
struct VersionedFile {
    format: Version,
}

/// Reads `recording.json` or `unit.json`.
pub(super) fn read<T: DeserializeOwned>(directory: &Path, file: &str) -> Result<T, RecordingError> {
    let path = directory.join(file);
    let shown = directory.display();
    let text = reading::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if !directory.exists() => {
            RecordingError::Unusable(format!("{shown} does not exist"))
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            let why = format!("{shown} is not a recording: there is no {file} in it");
            RecordingError::Unusable(why)
        }
        _ => FileError::of("read", &path)(error).into(),
    })?;
    let damaged = |error: serde_json::Error| RecordingError::damaged(&path, error);
    let VersionedFile { format } = serde_json::from_slice(&text).map_err(damaged)?;
    if format.major != VERSION.major {
        let (path, major) = (path.display(), VERSION.major);
        let why =
            format!("{path} has version {format} of the format, and this program reads {major}.x");
        return Err(RecordingError::Unusable(why));
    }
    serde_json::from_slice(&text).map_err(damaged)
}
