//! Reads the log of an output stream.

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::tail::TailReader;
use super::writer::tail_path;
use crate::disk::file_error::found;
use crate::disk::reading;

/// The log of one output stream. It can be read while it is written, and after its writer was
/// killed.
///
/// It holds no file open: every call reads the current state.
#[derive(Debug, Clone)]
pub struct OutputLog {
    path: PathBuf,
    tail_path: PathBuf,
}

/// The byte ranges of an output that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRange {
    pub head: Range<u64>,
    /// Empty, at the end of the head, if the head holds everything.
    pub tail: Range<u64>,
}

impl KeptRange {
    /// The range of dropped bytes.
    pub const fn missing(&self) -> Range<u64> {
        self.head.end..self.tail.start
    }

    /// The length of the output.
    pub const fn end(&self) -> u64 {
        self.tail.end
    }
}

/// The position of bytes that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputChunk {
    /// If it is after the requested offset, the bytes between are missing.
    pub offset: u64,
    /// Zero if there is nothing at or after the offset yet.
    pub length: usize,
}

impl OutputLog {
    /// Opens the log in this file. A missing file is an empty log.
    pub fn open(path: PathBuf) -> Self {
        Self { tail_path: tail_path(&path), path }
    }

    /// The byte ranges that are kept.
    pub fn kept(&self) -> io::Result<KeptRange> {
        // The tail is opened first: if it exists, the head is complete.
        let tail = TailReader::open(&self.tail_path)?;
        let head = found(reading::open(&self.path))?;
        let head_end = head.map_or(Ok(0), |head| head.metadata().map(|data| data.len()))?;
        let tail = tail.map_or(Ok(head_end..head_end), |tail| tail.kept())?;
        Ok(KeptRange { head: 0..head_end, tail })
    }

    /// Reads bytes from an offset on, or from the next one that is kept. The call may return fewer
    /// bytes than are available.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<OutputChunk> {
        let tail = TailReader::open(&self.tail_path)?;
        let head = found(reading::open(&self.path))?;
        let length = head.map_or(Ok(0), |head| head.read_at(buffer, offset))?;
        match tail {
            Some(tail) if length == 0 => tail.read_at(offset, buffer),
            _ => Ok(OutputChunk { offset, length }),
        }
    }

    /// At most the last `limit` bytes, without any before a gap.
    pub fn read_tail(&self, limit: usize) -> io::Result<Vec<u8>> {
        let kept = self.kept()?;
        let mut bytes = Vec::new();
        let mut offset = kept.end().saturating_sub(limit as u64);
        if !kept.missing().is_empty() {
            offset = offset.max(kept.tail.start);
        }
        let mut buffer = vec![0; limit.min(64 * 1024)];
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
        // The output may have grown meanwhile.
        let excess = bytes.len().saturating_sub(limit);
        bytes.drain(..excess);
        Ok(bytes)
    }
}
