//! What was printed, with its times.

use std::fs::File;
use std::io::{BufRead, BufReader, Lines, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::RecordingError;
use super::manifest::damaged;
use crate::error::FileError;

/// The file that says when which bytes came.
pub(super) const TIMING: &str = "timing.jsonl";

/// The most that is read at once, whatever the file says.
const MOST: u64 = 1024 * 1024;

/// A stream of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RecordedStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl RecordedStream {
    /// The file that holds what was printed to it.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// Bytes that came at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// When, counted from the start of the agent.
    pub at: Duration,
    /// Where.
    pub stream: RecordedStream,
    /// What.
    pub bytes: Vec<u8>,
}

/// A line of `timing.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Timing {
    pub(super) at_ms: u64,
    pub(super) stream: RecordedStream,
    pub(super) bytes: u64,
}

/// Reads what was printed, in the order in which it came.
#[derive(Debug)]
pub struct Chunks {
    path: PathBuf,
    /// None if nothing was printed.
    lines: Option<Lines<BufReader<File>>>,
    number: usize,
    stdout: Source,
    stderr: Source,
    /// What is left of a line that says more than is read at once.
    rest: Option<Timing>,
}

#[derive(Debug)]
struct Source {
    path: PathBuf,
    file: Option<File>,
}

impl Chunks {
    pub(super) fn open(directory: &Path) -> Result<Self, RecordingError> {
        let path = directory.join(TIMING);
        let source = |stream: RecordedStream| Source::open(directory.join(stream.file()));
        Ok(Self {
            lines: open(&path)?.map(|file| BufReader::new(file).lines()),
            path,
            number: 0,
            stdout: source(RecordedStream::Stdout)?,
            stderr: source(RecordedStream::Stderr)?,
            rest: None,
        })
    }

    fn timing(&mut self) -> Option<Result<Timing, RecordingError>> {
        if let Some(rest) = self.rest.take() {
            return Some(Ok(rest));
        }
        let line = match self.lines.as_mut()?.next()? {
            Ok(line) => line,
            Err(error) => return Some(Err(FileError::of("read", &self.path)(error).into())),
        };
        self.number += 1;
        let wrong = |error| damaged(&self.path, format!("line {}: {error}", self.number));
        Some(serde_json::from_str(&line).map_err(wrong))
    }

    fn chunk(&mut self, timing: Timing) -> Result<Chunk, RecordingError> {
        let Timing { at_ms, stream, bytes } = timing;
        let source = match stream {
            RecordedStream::Stdout => &mut self.stdout,
            RecordedStream::Stderr => &mut self.stderr,
        };
        let now = bytes.min(MOST);
        let read = source.read(now)?;
        if bytes > now {
            self.rest = Some(Timing { bytes: bytes - now, ..timing });
        }
        Ok(Chunk { at: Duration::from_millis(at_ms), stream, bytes: read })
    }
}

impl Iterator for Chunks {
    type Item = Result<Chunk, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.timing()?.and_then(|timing| self.chunk(timing)))
    }
}

impl Source {
    fn open(path: PathBuf) -> Result<Self, RecordingError> {
        Ok(Self { file: open(&path)?, path })
    }

    fn read(&mut self, length: u64) -> Result<Vec<u8>, RecordingError> {
        let mut bytes = Vec::new();
        if let Some(file) = &mut self.file {
            let read = file.take(length).read_to_end(&mut bytes);
            read.map_err(FileError::of("read", &self.path))?;
        }
        if bytes.len() as u64 == length {
            return Ok(bytes);
        }
        Err(damaged(&self.path, format!("it is shorter than {TIMING} says")))
    }
}

/// A file that is only there if something was printed.
fn open(path: &Path) -> Result<Option<File>, RecordingError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::of("read", path)(error).into()),
    }
}
