//! Reading one try of an iteration.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::id::UnitId;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::VERSION;
use super::chunks::{Chunks, RecordedStream, TIMING};
use super::error::RecordingError;
use super::manifest::damaged;
use super::unit_record::UnitRecord;
use crate::error::FileError;
use crate::format::Version;

/// The file without which a unit is not finished.
pub(super) const UNIT: &str = "unit.json";

/// What was recorded of one try of an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitRecording {
    /// How it went.
    pub record: UnitRecord,
    /// Where everything is.
    pub directory: PathBuf,
}

impl UnitRecording {
    /// Reads the directory of a unit, such as `1-2-1`.
    pub fn open(directory: &Path) -> Result<Self, RecordingError> {
        let record = read(directory, UNIT)?;
        for file in [TIMING, RecordedStream::Stdout.file(), RecordedStream::Stderr.file()] {
            let path = directory.join(file);
            match must_be_plain(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(FileError::of("read", &path)(error).into());
                }
                _ => {}
            }
        }
        Ok(Self { record, directory: directory.to_owned() })
    }

    /// Which one it is.
    pub const fn unit(&self) -> UnitId {
        let UnitRecord { step, iteration, attempt, .. } = self.record;
        UnitId { step, iteration, attempt }
    }

    /// What was printed, in the order in which it came.
    pub fn chunks(&self) -> Result<Chunks, RecordingError> {
        Chunks::open(&self.directory)
    }

    /// The content of a file that the record names: a patch or a commit.
    pub fn file(&self, name: &str) -> Result<Vec<u8>, RecordingError> {
        // A recording may come from anywhere, and must not lead out of itself.
        if name.contains('/') || name == ".." {
            let why = format!("it names the file `{name}`, which is in another directory");
            return Err(damaged(&self.directory.join(UNIT), why));
        }
        let path = self.directory.join(name);
        read_plain(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                damaged(&self.directory, format!("there is no {name} in it"))
            }
            _ => FileError::of("read", &path)(error).into(),
        })
    }
}

/// A recording may come from anywhere: a link would lead out of it, and a pipe would never end.
fn must_be_plain(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a plain file"))
}

fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    must_be_plain(path)?;
    fs::read(path)
}

/// What every file with a version has.
#[derive(Deserialize)]
struct Versioned {
    format: Version,
}

/// Reads one of the files that make a directory what it is.
pub(super) fn read<T: DeserializeOwned>(
    directory: &Path,
    file: &'static str,
) -> Result<T, RecordingError> {
    let path = directory.join(file);
    let text = read_plain(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if !directory.exists() => {
            RecordingError::Missing(directory.to_owned())
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            RecordingError::NotARecording { directory: directory.to_owned(), file }
        }
        _ => FileError::of("read", &path)(error).into(),
    })?;
    let wrong = |error: serde_json::Error| damaged(&path, error.to_string());
    let Versioned { format: version } = serde_json::from_slice(&text).map_err(wrong)?;
    if version.major != VERSION.major {
        return Err(RecordingError::OtherVersion { path, version });
    }
    serde_json::from_slice(&text).map_err(wrong)
}
