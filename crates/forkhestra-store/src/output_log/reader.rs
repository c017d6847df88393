//! Reading what was printed, or what is being printed.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::tail::TailReader;
use super::writer::tail_path;

/// What an agent printed to one stream. It may be read while it is written, and after its writer
/// was killed.
///
/// Nothing is held open: every call looks at what is there now.
#[derive(Debug, Clone)]
pub struct OutputLog {
    path: PathBuf,
    tail_path: PathBuf,
}

/// Which bytes of an output are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRange {
    /// The first ones.
    pub head: Range<u64>,
    /// The last ones. Empty, and where the head ends, if everything is in the head.
    pub tail: Range<u64>,
}

impl KeptRange {
    /// The bytes that were dropped.
    pub const fn missing(&self) -> Range<u64> {
        self.head.end..self.tail.start
    }

    /// How many bytes there were.
    pub const fn end(&self) -> u64 {
        self.tail.end
    }
}

/// A piece of an output that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputChunk {
    /// Where it begins. If that is behind the offset that was asked for, what was there is missing.
    pub offset: u64,
    /// How long it is. Zero if there is nothing at or behind the offset yet.
    pub length: usize,
}

impl OutputLog {
    /// The log in this file. A file that is not there is a log with nothing in it.
    pub fn open(path: PathBuf) -> Self {
        Self { tail_path: tail_path(&path), path }
    }

    /// Which bytes are kept.
    pub fn kept(&self) -> io::Result<KeptRange> {
        // A tail that was there before the head was looked at has the whole head in front of it.
        let tail = TailReader::open(&self.tail_path)?;
        let head = found(File::open(&self.path))?;
        let head_end = head.map_or(Ok(0), |head| head.metadata().map(|data| data.len()))?;
        let tail = tail.map_or(Ok(head_end..head_end), |tail| tail.kept())?;
        Ok(KeptRange { head: 0..head_end, tail })
    }

    /// Reads bytes from this offset on, or from the first one behind it that is kept. There may be
    /// more of them than were read.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<OutputChunk> {
        let tail = TailReader::open(&self.tail_path)?;
        let head = found(File::open(&self.path))?;
        let length = head.map_or(Ok(0), |head| head.read_at(buffer, offset))?;
        match tail {
            Some(tail) if length == 0 => tail.read_at(offset, buffer),
            _ => Ok(OutputChunk { offset, length }),
        }
    }

    /// The last bytes, at most so many, and none from in front of a gap.
    pub fn read_tail(&self, most: usize) -> io::Result<Vec<u8>> {
        let kept = self.kept()?;
        let mut bytes = Vec::new();
        let mut offset = kept.end().saturating_sub(most as u64);
        if !kept.missing().is_empty() {
            offset = offset.max(kept.tail.start);
        }
        let mut buffer = vec![0; most.min(64 * 1024)];
        while offset < kept.end() {
            let chunk = self.read_at(offset, &mut buffer)?;
            if chunk.length == 0 {
                break;
            }
            if chunk.offset > offset {
                bytes.clear();
            }
            bytes.extend_from_slice(&buffer[..chunk.length]);
            offset = chunk.offset + chunk.length as u64;
        }
        // More may have been printed meanwhile.
        let surplus = bytes.len().saturating_sub(most);
        bytes.drain(..surplus);
        Ok(bytes)
    }
}

/// What is not there is no error.
pub(super) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
