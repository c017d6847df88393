//! The lines of a journal as they are, for somebody who hands them on.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;

use crate::disk::file_error::FileError;
use crate::format::{DecodeError, Glance};
use crate::journal::journal_contents::{self, JournalReadError, TornEnd};

/// How much is read at once.
const BUFFER: usize = 64 * 1024;

/// Reads the lines of a journal, also while somebody writes it. Never more than one line is in memory,
/// and nothing is locked or changed.
///
/// Lines that are of a newer minor version are lines like others. As with a
/// [`JournalFollower`](crate::JournalFollower), a line that its writer withdraws when the disk fails may have been read
/// by then.
#[derive(Debug)]
pub struct JournalLines<'a> {
    path: &'a Path,
    file: BufReader<File>,
    line: Vec<u8>,
    /// How many complete lines were read.
    number: u64,
    /// How long they are together.
    length: u64,
    torn: Option<TornEnd>,
    is_over: bool,
}

/// A complete line of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLine<'a> {
    /// Its number, from zero.
    pub seq: u64,
    /// The line, with its line break.
    pub bytes: &'a [u8],
}

impl<'a> JournalLines<'a> {
    /// Begins with the first line of a journal.
    pub fn open(path: &'a Path) -> Result<Self, JournalReadError> {
        let file = File::open(path).map_err(FileError::of("read", path))?;
        let file = BufReader::with_capacity(BUFFER, file);
        let line = Vec::new();
        Ok(Self { path, file, line, number: 0, length: 0, torn: None, is_over: false })
    }

    /// The next line; none if there is no other by now. One that is not written to its end may be there
    /// the next time.
    pub fn next_line(&mut self) -> Result<Option<JournalLine<'_>>, JournalReadError> {
        if self.torn.take().is_some() {
            // It may have been withdrawn and written again.
            self.file.seek(SeekFrom::Start(self.length)).map_err(|error| self.unreadable(error))?;
        }
        self.line.clear();
        let bytes = self.file.read_until(b'\n', &mut self.line);
        let bytes = bytes.map_err(|error| self.unreadable(error))? as u64;
        if self.line.last() != Some(&b'\n') {
            self.torn = (bytes > 0).then_some(TornEnd { line: self.number + 1, bytes });
            return Ok(None);
        }
        match Glance::at(&self.line) {
            Ok(glance) => self.check(&glance)?,
            Err(why) if why.is_damage() => return self.judge_damage(),
            Err(why) => return Err(self.unfit(why)),
        }
        let seq = self.number;
        self.number += 1;
        self.length += bytes;
        Ok(Some(JournalLine { seq, bytes: &self.line }))
    }

    /// Whether the run is over, by the last line that was read.
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether no line was read.
    pub const fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// What there is behind the last line, if that was all.
    pub const fn torn(&self) -> Option<TornEnd> {
        self.torn
    }

    fn check(&mut self, glance: &Glance) -> Result<(), JournalReadError> {
        if self.number == 0 && !glance.is_start {
            return Err(JournalReadError::NotAJournal { path: self.path.to_owned() });
        }
        if glance.seq != self.number {
            let (path, line, found) = (self.path.to_owned(), self.number + 1, glance.seq);
            return Err(JournalReadError::OutOfOrder { path, line, found });
        }
        self.is_over = glance.is_finish;
        Ok(())
    }

    /// Tells what a power failure left of the end from other damage. That takes everything there is,
    /// but happens once at most.
    fn judge_damage(&mut self) -> Result<Option<JournalLine<'_>>, JournalReadError> {
        self.torn = journal_contents::read(self.path)?.torn;
        Ok(None)
    }

    fn unfit(&self, why: DecodeError) -> JournalReadError {
        JournalReadError::Line { path: self.path.to_owned(), line: self.number + 1, why }
    }

    fn unreadable(&self, error: std::io::Error) -> JournalReadError {
        FileError::of("read", self.path)(error).into()
    }
}
