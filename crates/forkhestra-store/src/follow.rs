//! Reading a journal while somebody writes it.

use std::fs::File;
use std::io::{BufReader, Seek as _, SeekFrom};
use std::path::Path;

use forkhestra_core::event::Event;

use crate::error::FileError;
use crate::replay::{ReadError, Reading};

/// Reads a journal as it grows: each time only what is new. Nothing is locked or changed by it.
///
/// A line may be withdrawn by its writer when the disk fails. Whoever has read it by then keeps it.
#[derive(Debug)]
pub struct Follower<'a> {
    path: &'a Path,
    file: File,
    reading: Reading<'a>,
}

impl<'a> Follower<'a> {
    /// Begins with the first line of a journal.
    pub fn open(path: &'a Path) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(FileError::of("read", path))?;
        Ok(Self { path, file, reading: Reading::new(path) })
    }

    /// What has happened since the last time. A line that is not written to its end is left for the
    /// next time.
    pub fn news(&mut self) -> Result<Vec<Event>, ReadError> {
        let place = SeekFrom::Start(self.reading.length);
        self.file.seek(place).map_err(FileError::of("read", self.path))?;
        self.reading.read_lines(&mut BufReader::new(&self.file))?;
        Ok(std::mem::take(&mut self.reading.events))
    }
}
