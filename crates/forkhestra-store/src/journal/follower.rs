//! Reads a journal while it is being written.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufReader, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use forkhestra_core::event::Event;

use crate::disk::file_error::FileError;
use crate::disk::reading;
use crate::journal::journal_contents::{JournalReadError, JournalReading, WrongHash};

/// Size of the read buffer.
const BUFFER_BYTES: usize = 64 * 1024;

/// Reads a growing journal incrementally, without locking or changing it.
///
/// A writer withdraws a line when the disk fails. A line that was already read by then stays read.
#[derive(Debug)]
pub struct JournalFollower<'a> {
    path: Cow<'a, Path>,
    file: File,
    reading: JournalReading<'a>,
}

impl<'a> JournalFollower<'a> {
    /// Opens a journal. Reading starts at its first line.
    pub fn open(path: impl Into<Cow<'a, Path>>) -> Result<Self, JournalReadError> {
        let path = path.into();
        let file = reading::open(&path).map_err(FileError::of("read", &path))?;
        Ok(Self { file, reading: JournalReading::new(path.clone()), path })
    }

    /// Returns the events since the last call. An incomplete line is left for the next call.
    pub fn read_new_events(&mut self) -> Result<Vec<Event>, JournalReadError> {
        self.read(usize::MAX)?;
        Ok(std::mem::take(&mut self.reading.events))
    }

    /// Returns at most `limit` events; fewer only at the end of the file.
    ///
    /// Events before an error are returned first, and the error by the next call.
    pub fn read_new_events_at_most(
        &mut self,
        limit: usize,
    ) -> Result<Vec<Event>, JournalReadError> {
        let read = self.read(limit);
        let events = std::mem::take(&mut self.reading.events);
        match read {
            Err(error) if events.is_empty() => Err(error),
            _ => Ok(events),
        }
    }

    fn read(&mut self, limit: usize) -> Result<(), JournalReadError> {
        let place = SeekFrom::Start(self.reading.length);
        self.file.seek(place).map_err(FileError::of("read", &self.path))?;
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, &self.file);
        self.reading.read_at_most(limit, &mut reader)
    }

    /// The first line so far that does not continue the chain of hashes.
    pub const fn wrong_hash(&self) -> Option<WrongHash> {
        self.reading.wrong_hash
    }

    /// Whether the path still refers to the opened file. A repair replaces the file. A missing file
    /// is an error.
    pub fn is_in_place(&self) -> Result<bool, FileError> {
        let unreadable = |error| FileError::of("read", &self.path)(error);
        let there = fs::metadata(&self.path).map_err(unreadable)?;
        let open = self.file.metadata().map_err(unreadable)?;
        Ok((there.dev(), there.ino()) == (open.dev(), open.ino()))
    }

    /// Whether the file has bytes that were not read, complete lines or not.
    pub fn has_grown(&self) -> Result<bool, FileError> {
        let length = self.file.metadata().map_err(FileError::of("read", &self.path))?.len();
        Ok(length > self.reading.length)
    }
}
