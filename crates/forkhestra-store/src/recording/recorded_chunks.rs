//! Recorded output with its timing.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::vec;

use forkhestra_core::event::output_stream::OutputStream;
use serde::{Deserialize, Serialize};

use super::error::RecordingError;
use crate::disk::file_error::{FileError, found};
use crate::disk::reading;

/// The file with the timing of the output.
pub(super) const TIMING_FILE: &str = "timing.jsonl";

/// A piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedChunk {
    /// The time since the start of the agent.
    pub at: Duration,
    pub stream: OutputStream,
    pub bytes: Vec<u8>,
}

/// A line of `timing.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TimingLine {
    pub(super) at_ms: u64,
    pub(super) stream: OutputStream,
    pub(super) bytes: u64,
}

/// Reads recorded output piece by piece.
#[derive(Debug)]
pub struct RecordedChunks {
    timings: vec::IntoIter<TimingLine>,
    /// The files of both streams; `None` for a stream without output.
    files: [(PathBuf, Option<File>); 2],
}

impl RecordedChunks {
    pub(super) fn open(directory: &Path) -> Result<Self, RecordingError> {
        let path = directory.join(TIMING_FILE);
        let mut text = String::new();
        let read = found(reading::open(&path)).and_then(|file| match file {
            Some(mut file) => file.read_to_string(&mut text),
            None => Ok(0),
        });
        read.map_err(FileError::of("read", &path))?;
        let timing = |(line, number): (&str, usize)| {
            let damaged = |error| RecordingError::damaged(&path, format!("line {number}: {error}"));
            serde_json::from_str(line).map_err(damaged)
        };
        let timings: Vec<TimingLine> =
            text.lines().zip(1..).map(timing).collect::<Result<_, _>>()?;
        let file = |stream: OutputStream| {
            let path = directory.join(stream.name());
            let file = found(reading::open(&path)).map_err(FileError::of("read", &path))?;
            Ok::<_, RecordingError>((path, file))
        };
        let files = [file(OutputStream::Stdout)?, file(OutputStream::Stderr)?];
        Ok(Self { timings: timings.into_iter(), files })
    }

    fn chunk(&mut self, timing: TimingLine) -> Result<RecordedChunk, RecordingError> {
        let TimingLine { at_ms, stream, bytes: length } = timing;
        let (path, file) = &mut self.files[stream as usize];
        let mut bytes = Vec::new();
        if let Some(file) = file {
            let read = file.take(length).read_to_end(&mut bytes);
            read.map_err(FileError::of("read", path))?;
        }
        if bytes.len() as u64 != length {
            let why = format!("it is shorter than {TIMING_FILE} says");
            return Err(RecordingError::damaged(path, why));
        }
        Ok(RecordedChunk { at: Duration::from_millis(at_ms), stream, bytes })
    }
}

impl Iterator for RecordedChunks {
    type Item = Result<RecordedChunk, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        let timing = self.timings.next()?;
        Some(self.chunk(timing))
    }
}
