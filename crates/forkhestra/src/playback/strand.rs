//! One stream of one try, as far as it was played.

use std::io;
use std::path::PathBuf;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::id::UnitId;
use forkhestra_core::output_stream::OutputStream;
use forkhestra_store::RunDir;
use forkhestra_store::output_log::OutputLog;

use super::reading::Reading;
use super::voice::Voice;
use crate::error::CliError;
use crate::report::logs::{Label, gap};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// Both streams, in the order in which they are played: nobody knows how they were mixed.
pub(super) const STREAMS: [OutputStream; 2] = [OutputStream::Stdout, OutputStream::Stderr];

/// The file in which a stream of a try is kept.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    path: PathBuf,
    pub(crate) log: OutputLog,
}

impl Kept {
    pub(crate) fn of(run: &RunDir, unit: UnitId, stream: OutputStream) -> Self {
        let name = match stream {
            OutputStream::Stdout => "stdout",
            OutputStream::Stderr => "stderr",
        };
        let path = run.output_of(unit).join(name);
        Self { log: OutputLog::open(path.clone()), path }
    }

    /// Says which file it is that cannot be read.
    pub(super) fn unreadable(&self) -> impl Fn(io::Error) -> CliError {
        let told = self.complaint();
        move |error| CliError::wrong(Diagnostic::error(told(error)))
    }

    /// The same in a line.
    pub(crate) fn complaint(&self) -> impl Fn(io::Error) -> String + use<> {
        let path = self.path.display().to_string();
        move |error| format!("cannot read {path}: {error}")
    }
}

/// One stream of one try.
pub(super) struct Strand {
    kept: Kept,
    stream: OutputStream,
    /// Up to where it was played.
    offset: u64,
    /// How much of what would be shown from there on is not wanted.
    unwanted: u64,
    reading: Reading,
}

/// Where a stream begins to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Start {
    /// From where on its bytes are read.
    pub(super) offset: u64,
    /// How many bytes are left out of what is made of those.
    pub(super) unwanted: u64,
}

impl Strand {
    /// A stream of which nothing before this is wanted.
    pub(super) fn new(kept: Kept, stream: OutputStream, start: Start, reading: Reading) -> Self {
        let Start { offset, unwanted } = start;
        Self { kept, stream, offset, unwanted, reading }
    }

    /// Plays what is there by now, and says whether that was anything. What is printed meanwhile
    /// stays for the next time, so that no agent can print faster than this ends.
    pub(super) fn advance(
        &mut self,
        label: Label<'_>,
        voice: &mut Voice,
    ) -> Result<bool, CliError> {
        let end = self.kept.log.kept().map_err(self.kept.unreadable())?.end();
        let begin = self.offset;
        let mut buffer = vec![0; if begin < end { CHUNK } else { 0 }];
        while self.offset < end {
            let chunk = self.kept.log.read_at(self.offset, &mut buffer);
            let chunk = chunk.map_err(self.kept.unreadable())?;
            if chunk.length == 0 {
                break;
            }
            if chunk.offset > self.offset {
                self.miss(chunk.offset - self.offset, label, voice)?;
            }
            self.pass(&buffer[..chunk.length], voice)?;
            self.offset = chunk.offset + chunk.length as u64;
        }
        Ok(self.offset > begin)
    }

    /// Whether anything was kept of it.
    pub(super) const fn is_kept(&self) -> bool {
        self.offset > 0
    }

    /// Plays what was held back, and says what is missing of so many bytes that were printed.
    pub(super) fn finish(
        &mut self,
        printed: u64,
        label: Label<'_>,
        voice: &mut Voice,
    ) -> Result<(), CliError> {
        self.flush(voice)?;
        match printed.saturating_sub(self.offset) {
            0 => Ok(()),
            missing => self.miss(missing, label, voice),
        }
    }

    fn pass(&mut self, bytes: &[u8], voice: &mut Voice) -> Result<(), CliError> {
        let shown = self.reading.feed(bytes).without(&mut self.unwanted);
        Ok(voice.pass(self.stream, &shown)?)
    }

    fn flush(&mut self, voice: &mut Voice) -> Result<(), CliError> {
        let shown = self.reading.finish().without(&mut self.unwanted);
        Ok(voice.pass(self.stream, &shown)?)
    }

    /// What stands before a gap does not go on behind it.
    fn miss(&mut self, bytes: u64, label: Label<'_>, voice: &mut Voice) -> Result<(), CliError> {
        self.flush(voice)?;
        if voice.is_raw() {
            let warning = label.misses(bytes, stream_name(self.stream));
            return Ok(voice.warn(&Diagnostic::warning(warning))?);
        }
        Ok(voice.say(self.stream, &gap(bytes))?)
    }
}

const fn stream_name(stream: OutputStream) -> &'static str {
    match stream {
        OutputStream::Stdout => "standard output",
        OutputStream::Stderr => "standard error",
    }
}
