//! Reading a journal while somebody writes it.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufReader, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use forkhestra_core::event::Event;

use crate::disk::file_error::FileError;
use crate::journal::journal_contents::{JournalReadError, JournalReading};

/// How much is read at once.
const BUFFER: usize = 64 * 1024;

/// Reads a journal as it grows: each time only what is new. Nothing is locked or changed by it.
///
/// A line may be withdrawn by its writer when the disk fails. Whoever has read it by then keeps it.
#[derive(Debug)]
pub struct JournalFollower<'a> {
    path: Cow<'a, Path>,
    file: File,
    reading: JournalReading<'a>,
}

impl<'a> JournalFollower<'a> {
    /// Begins with the first line of a journal.
    pub fn open(path: impl Into<Cow<'a, Path>>) -> Result<Self, JournalReadError> {
        let path = path.into();
        let file = File::open(&path).map_err(FileError::of("read", &path))?;
        Ok(Self { file, reading: JournalReading::new(path.clone()), path })
    }

    /// What has happened since the last time. A line that is not written to its end is left for the
    /// next time.
    pub fn read_new_events(&mut self) -> Result<Vec<Event>, JournalReadError> {
        self.read(usize::MAX)?;
        Ok(std::mem::take(&mut self.reading.events))
    }

    /// The same, but no more than so many events; fewer only if there are no more by now. What can be
    /// read before a mistake is news, and the mistake is the next time.
    pub fn read_new_events_at_most(&mut self, most: usize) -> Result<Vec<Event>, JournalReadError> {
        let read = self.read(most);
        let events = std::mem::take(&mut self.reading.events);
        match read {
            Err(error) if events.is_empty() => Err(error),
            _ => Ok(events),
        }
    }

    fn read(&mut self, most: usize) -> Result<(), JournalReadError> {
        let place = SeekFrom::Start(self.reading.length);
        self.file.seek(place).map_err(FileError::of("read", &self.path))?;
        let mut reader = BufReader::with_capacity(BUFFER, &self.file);
        self.reading.read_at_most(most, &mut reader)
    }

    /// Whether this is still the journal at its place: it is not if it was repaired, and another one has
    /// taken its place. An error if there is none.
    pub fn is_in_place(&self) -> Result<bool, FileError> {
        let unreadable = |error| FileError::of("read", &self.path)(error);
        let there = fs::metadata(&self.path).map_err(unreadable)?;
        let open = self.file.metadata().map_err(unreadable)?;
        Ok((there.dev(), there.ino()) == (open.dev(), open.ino()))
    }

    /// Whether there is anything behind what was read, finished or not.
    pub fn has_grown(&self) -> Result<bool, FileError> {
        let length = self.file.metadata().map_err(FileError::of("read", &self.path))?.len();
        Ok(length > self.reading.length)
    }
}
