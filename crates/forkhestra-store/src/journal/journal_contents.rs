//! Reads a whole journal.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use forkhestra_core::event::{DurabilityTracker, Event, EventKind};

use crate::disk::file_error::FileError;
use crate::disk::reading;
use crate::format::{self, DecodeError, Line, LineHash, LineHashError, LineHashes, Version};
use crate::journal::torn_tail::{TailContext, TornTail, decoded};

/// Size of the read buffer.
const BUFFER_BYTES: usize = 64 * 1024;

/// The contents of a journal.
#[derive(Debug)]
pub struct JournalContents {
    /// The newest format version that occurs in the file.
    pub format: Version,
    /// The first event is always `RunStarted`.
    pub events: Vec<Event>,
    /// The numbers, from one, of lines with events of a newer version. They were skipped and are
    /// still in the file.
    pub unknown: Vec<usize>,
    /// An unusable end of the file. It is cut off when the run is resumed.
    pub torn: Option<TornEnd>,
    /// The sequence number of the next line.
    pub next_seq: u64,
    /// The length of the file without a torn end.
    pub length: u64,
    /// The first line that does not continue the chain of hashes. The lines from there on were not written by
    /// forkhestra, or were changed.
    pub wrong_hash: Option<WrongHash>,
    /// Lines that are missing at the end.
    pub removed_end: Option<RemovedEnd>,
    pub(crate) chain: LineHashes,
    /// The hash of the last line, if it has one.
    pub(crate) last_hash: Option<LineHash>,
    pub(crate) safety: DurabilityTracker,
    /// The length that the writer knew to be durable, if it synced: up to the last event that must
    /// be durable and that is followed by another.
    pub(crate) safe: u64,
}

/// The incomplete end of a journal: the last line, or several lines of which a power failure
/// destroyed at least the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TornEnd {
    /// The number of the first torn line, from one.
    pub line: u64,
    pub bytes: u64,
}

/// A line that does not continue the chain of hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongHash {
    /// From one.
    pub line: u64,
    pub why: LineHashError,
}

/// `line 5 of the journal has …`.
impl fmt::Display for WrongHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the journal {}", self.line, self.why)
    }
}

/// A journal is shorter than when its run ended, as the summary beside it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovedEnd {
    /// The length of the file.
    pub length: u64,
    /// The length when the run ended.
    pub recorded: u64,
}

/// `is shorter than …`.
impl fmt::Display for RemovedEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length, recorded } = self;
        write!(
            f,
            "is shorter than when the run ended ({length} of {recorded} bytes): another program or a power failure \
             removed its last lines"
        )
    }
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalReadError {
    #[error(transparent)]
    File(#[from] FileError),
    /// The run was interrupted before its start was recorded.
    #[error("{} holds no complete line", path.display())]
    Empty { path: PathBuf },
    /// The first line is not `run_started`.
    #[error("{} is not the journal of a run", path.display())]
    NotAJournal { path: PathBuf },
    /// A line is damaged, or its version is not supported.
    #[error("line {line} of {} {why}", path.display())]
    Line {
        path: PathBuf,
        /// From one.
        line: u64,
        why: DecodeError,
    },
    /// Lines are missing or surplus.
    #[error("line {line} of {} has the number {found} instead of {}", path.display(), line - 1)]
    OutOfOrder {
        path: PathBuf,
        /// From one.
        line: u64,
        /// The sequence number in the line, from zero.
        found: u64,
    },
}

impl JournalContents {
    /// The length of the file at the time of reading.
    pub(crate) fn length_read(&self) -> u64 {
        self.length + self.torn.map_or(0, |torn| torn.bytes)
    }

    /// The number of the line that holds an event. Both are counted from one.
    pub(crate) fn line_of(&self, event: usize) -> usize {
        let skip = |line, unknown: &usize| if *unknown <= line { line + 1 } else { line };
        self.unknown.iter().fold(event, skip)
    }
}

/// Reads a journal.
pub fn read(path: &Path) -> Result<JournalContents, JournalReadError> {
    let file = reading::open(path).map_err(FileError::of("read", path))?;
    let mut reading = JournalReading::new(path);
    reading.read_lines(&mut BufReader::with_capacity(BUFFER_BYTES, file))?;
    let Some(format) = reading.format else {
        return Err(JournalReadError::Empty { path: path.to_owned() });
    };
    Ok(reading.contents(format))
}

/// A partly read journal.
#[derive(Debug)]
pub(crate) struct JournalReading<'a> {
    path: Cow<'a, Path>,
    format: Option<Version>,
    pub(crate) events: Vec<Event>,
    unknown: Vec<usize>,
    torn: Option<TornEnd>,
    lines: u64,
    pub(crate) length: u64,
    chain: LineHashes,
    last_hash: Option<LineHash>,
    pub(crate) wrong_hash: Option<WrongHash>,
    safety: DurabilityTracker,
    before: TailContext,
    /// The length that is durable if another line follows.
    durable: u64,
    safe: u64,
}

impl<'a> JournalReading<'a> {
    pub(crate) fn new(path: impl Into<Cow<'a, Path>>) -> Self {
        let events = Vec::new();
        let (lines, length, durable, safe) = (0, 0, 0, 0);
        Self {
            path: path.into(),
            format: None,
            events,
            unknown: Vec::new(),
            torn: None,
            lines,
            length,
            chain: LineHashes::default(),
            last_hash: None,
            wrong_hash: None,
            safety: DurabilityTracker::default(),
            before: TailContext::default(),
            durable,
            safe,
        }
    }

    /// Reads up to the end of the file or to an incomplete line.
    pub(crate) fn read_lines(&mut self, reader: &mut impl BufRead) -> Result<(), JournalReadError> {
        self.read_at_most(usize::MAX, reader)
    }

    /// Like [`Self::read_lines`], but stops when there are `limit` events.
    pub(crate) fn read_at_most(
        &mut self,
        limit: usize,
        reader: &mut impl BufRead,
    ) -> Result<(), JournalReadError> {
        let path = self.path.clone();
        let unreadable = |error| FileError::of("read", &path)(error);
        let mut line = Vec::new();
        while self.events.len() < limit {
            line.clear();
            let bytes = reader.read_until(b'\n', &mut line).map_err(unreadable)? as u64;
            let torn = TornEnd { line: self.lines + 1, bytes };
            let Some(text) = line.strip_suffix(b"\n") else {
                self.torn = (bytes > 0).then_some(torn);
                return Ok(());
            };
            match decoded(text) {
                Ok(line) => {
                    let version = line.format;
                    self.take(line, bytes)?;
                    self.check_chain(text, version);
                }
                Err(why) => {
                    let mut rest = Vec::new();
                    reader.read_to_end(&mut rest).map_err(unreadable)?;
                    let before = self.before;
                    let end = TornTail { before, damaged: text, rest: &rest };
                    if why.is_damage() && end.is_unsynced() {
                        self.torn = Some(TornEnd { bytes: bytes + rest.len() as u64, ..torn });
                        return Ok(());
                    }
                    let path = self.path.to_path_buf();
                    return Err(JournalReadError::Line { path, line: torn.line, why });
                }
            }
        }
        Ok(())
    }

    fn contents(self, format: Version) -> JournalContents {
        let Self { events, unknown, torn, lines, length, chain, safety, safe, .. } = self;
        let Self { wrong_hash, last_hash, .. } = self;
        JournalContents {
            format,
            events,
            unknown,
            torn,
            next_seq: lines,
            length,
            wrong_hash,
            removed_end: None,
            chain,
            last_hash,
            safety,
            safe,
        }
    }

    /// Compares the hash of the line that was taken last. Only the first one that does not fit is noted.
    fn check_chain(&mut self, text: &[u8], version: Option<Version>) {
        self.last_hash = format::split(text).map(|(_, hash)| hash);
        if self.wrong_hash.is_none() {
            let broken = self.chain.check_line(text, version).err();
            self.wrong_hash = broken.map(|why| WrongHash { line: self.lines, why });
        }
    }

    fn take(&mut self, line: Line, bytes: u64) -> Result<(), JournalReadError> {
        let path = || self.path.to_path_buf();
        if self.lines == 0 && !is_start(&line) {
            return Err(JournalReadError::NotAJournal { path: path() });
        }
        if line.seq != self.lines {
            return Err(JournalReadError::OutOfOrder {
                path: path(),
                line: self.lines + 1,
                found: line.seq,
            });
        }
        self.format = self.format.max(line.format);
        self.lines += 1;
        self.length += bytes;
        self.safe = self.durable;
        match line.event {
            Some(event) => {
                if self.safety.must_be_durable(&event.kind) {
                    self.durable = self.length;
                }
                self.before.apply(&event.kind);
                self.events.push(event);
            }
            None => self.unknown.push(self.events.len() + self.unknown.len() + 1),
        }
        Ok(())
    }
}

fn is_start(line: &Line) -> bool {
    let starts = |event: &Event| matches!(event.kind, EventKind::RunStarted { .. });
    line.format.is_some() && line.event.as_ref().is_some_and(starts)
}
