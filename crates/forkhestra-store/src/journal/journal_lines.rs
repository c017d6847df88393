//! Reads the raw lines of a journal, to pass them on.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;
use std::str;

use crate::disk::file_error::FileError;
use crate::disk::reading;
use crate::format::{DecodeError, Header};
use crate::journal::journal_contents::{self, JournalReadError, TornEnd};

/// Size of the read buffer.
const BUFFER_BYTES: usize = 64 * 1024;

/// Reads the raw lines of a journal, also while it is being written. It holds one line in memory,
/// and locks and changes nothing.
///
/// Lines of a newer minor version are returned like others. As with a
/// [`JournalFollower`](crate::JournalFollower), a line may be read before its writer withdraws it
/// because the disk fails.
#[derive(Debug)]
pub struct JournalLines<'a> {
    path: &'a Path,
    file: BufReader<File>,
    line: Vec<u8>,
    /// The number of complete lines read.
    number: u64,
    /// Their total length.
    length: u64,
    torn: Option<TornEnd>,
    is_over: bool,
}

/// A complete line of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLine<'a> {
    /// From zero.
    pub seq: u64,
    /// The line with its line break.
    pub bytes: &'a [u8],
}

impl<'a> JournalLines<'a> {
    /// Opens a journal. Reading starts at its first line.
    pub fn open(path: &'a Path) -> Result<Self, JournalReadError> {
        let file = reading::open(path).map_err(FileError::of("read", path))?;
        let file = BufReader::with_capacity(BUFFER_BYTES, file);
        let line = Vec::new();
        Ok(Self { path, file, line, number: 0, length: 0, torn: None, is_over: false })
    }

    /// The next complete line, or `None` if there is none yet.
    pub fn next_line(&mut self) -> Result<Option<JournalLine<'_>>, JournalReadError> {
        if self.torn.take().is_some() {
            // The line may have been withdrawn and written again.
            self.file.seek(SeekFrom::Start(self.length)).map_err(|error| self.unreadable(error))?;
        }
        self.line.clear();
        let bytes = self.file.read_until(b'\n', &mut self.line);
        let bytes = bytes.map_err(|error| self.unreadable(error))? as u64;
        if self.line.last() != Some(&b'\n') {
            self.torn = (bytes > 0).then_some(TornEnd { line: self.number + 1, bytes });
            return Ok(None);
        }
        let line = str::from_utf8(&self.line).map_err(|_| DecodeError::NotText);
        match line.and_then(Header::read) {
            Ok(header) => self.is_over = self.check(&header)?,
            Err(why) if why.is_damage() => return self.classify_damage(),
            Err(why) => return Err(self.line_error(why)),
        }
        let seq = self.number;
        self.number += 1;
        self.length += bytes;
        Ok(Some(JournalLine { seq, bytes: &self.line }))
    }

    /// Whether the last line read ends the run.
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether no line was read.
    pub const fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// The incomplete end of the file, if the last call reached it.
    pub const fn torn(&self) -> Option<TornEnd> {
        self.torn
    }

    /// Checks the position of a line, and returns whether it ends the run.
    fn check(&self, header: &Header<'_>) -> Result<bool, JournalReadError> {
        let (path, line, found) = (|| self.path.to_owned(), self.number + 1, header.seq);
        if self.number == 0 && !header.is_start() {
            return Err(JournalReadError::NotAJournal { path: path() });
        }
        if found != self.number {
            return Err(JournalReadError::OutOfOrder { path: path(), line, found });
        }
        Ok(header.is_finish())
    }

    /// Tells an end torn by a power failure from other damage. This reads the whole journal, at
    /// most once.
    fn classify_damage(&mut self) -> Result<Option<JournalLine<'_>>, JournalReadError> {
        self.torn = journal_contents::read(self.path)?.torn;
        Ok(None)
    }

    fn line_error(&self, why: DecodeError) -> JournalReadError {
        JournalReadError::Line { path: self.path.to_owned(), line: self.number + 1, why }
    }

    fn unreadable(&self, error: std::io::Error) -> JournalReadError {
        FileError::of("read", self.path)(error).into()
    }
}
