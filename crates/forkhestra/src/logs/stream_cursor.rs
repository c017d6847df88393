//! Prints one stream of one attempt incrementally.

use std::io;
use std::path::PathBuf;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_store::RunDir;
use forkhestra_store::output_log::OutputLog;

use super::log_rendering::LogRendering;
use super::log_writer::LogWriter;
use crate::cli::command_error::CommandError;
use crate::report::logs::{AttemptLabel, gap};

/// Bytes per read.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

/// Both streams, in the order in which they are printed. How they were interleaved is not recorded.
pub(super) const STREAMS: [OutputStream; 2] = [OutputStream::Stdout, OutputStream::Stderr];

/// The log file of one stream of an attempt.
#[derive(Debug, Clone)]
pub(crate) struct StreamLog {
    path: PathBuf,
    pub(crate) log: OutputLog,
}

impl StreamLog {
    pub(crate) fn of(run: &RunDir, unit: UnitId, stream: OutputStream) -> Self {
        let name = match stream {
            OutputStream::Stdout => "stdout",
            OutputStream::Stderr => "stderr",
        };
        let path = run.output_of(unit).join(name);
        Self { log: OutputLog::open(path.clone()), path }
    }

    /// A function that converts a read error to a command error with the path.
    pub(super) fn unreadable(&self) -> impl Fn(io::Error) -> CommandError {
        let diagnostic = self.complaint();
        move |error| CommandError::wrong(Diagnostic::error(diagnostic(error)))
    }

    /// A function that converts a read error to one line with the path.
    pub(crate) fn complaint(&self) -> impl Fn(io::Error) -> String + use<> {
        let path = self.path.display().to_string();
        move |error| format!("cannot read {path}: {error}")
    }
}

/// The position in one stream of one attempt.
pub(super) struct StreamCursor {
    log: StreamLog,
    stream: OutputStream,
    /// Offset of the next byte to print.
    offset: u64,
    /// Number of rendered bytes to skip.
    unwanted: u64,
    rendering: LogRendering,
}

impl StreamCursor {
    /// A cursor that skips this number of rendered bytes.
    pub(super) const fn new(
        log: StreamLog,
        stream: OutputStream,
        unwanted: u64,
        rendering: LogRendering,
    ) -> Self {
        Self { log, stream, offset: 0, unwanted, rendering }
    }

    /// Prints everything available. Returns whether there was anything. Output that appears
    /// meanwhile is left for the next call, so that a fast agent cannot keep this call from
    /// returning.
    pub(super) fn advance(
        &mut self,
        label: AttemptLabel<'_>,
        writer: &mut LogWriter,
    ) -> Result<bool, CommandError> {
        let end = self.log.log.kept().map_err(self.log.unreadable())?.end();
        let begin = self.offset;
        let mut buffer = vec![0; if begin < end { CHUNK_BYTES } else { 0 }];
        while self.offset < end {
            let chunk = self.log.log.read_at(self.offset, &mut buffer);
            let chunk = chunk.map_err(self.log.unreadable())?;
            if chunk.length == 0 {
                break;
            }
            if chunk.offset > self.offset {
                self.report_gap(chunk.offset - self.offset, label, writer)?;
            }
            self.pass(&buffer[..chunk.length], writer)?;
            self.offset = chunk.offset + chunk.length as u64;
        }
        Ok(self.offset > begin)
    }

    /// Whether anything of the stream is in the log.
    pub(super) const fn is_kept(&self) -> bool {
        self.offset > 0
    }

    /// Prints what was held back, and reports bytes that are missing from the log.
    pub(super) fn finish(
        &mut self,
        printed: u64,
        label: AttemptLabel<'_>,
        writer: &mut LogWriter,
    ) -> Result<(), CommandError> {
        self.flush(writer)?;
        match printed.saturating_sub(self.offset) {
            0 => Ok(()),
            missing => self.report_gap(missing, label, writer),
        }
    }

    fn pass(&mut self, bytes: &[u8], writer: &mut LogWriter) -> Result<(), CommandError> {
        let shown = self.rendering.feed(bytes).without(&mut self.unwanted);
        Ok(writer.write_output(self.stream, &shown)?)
    }

    fn flush(&mut self, writer: &mut LogWriter) -> Result<(), CommandError> {
        let shown = self.rendering.finish().without(&mut self.unwanted);
        Ok(writer.write_output(self.stream, &shown)?)
    }

    /// Reports a gap, unless it is in the skipped part. A line before a gap does not continue after
    /// it.
    fn report_gap(
        &mut self,
        bytes: u64,
        label: AttemptLabel<'_>,
        writer: &mut LogWriter,
    ) -> Result<(), CommandError> {
        self.flush(writer)?;
        if self.unwanted > 0 {
            return Ok(());
        }
        if writer.is_raw() {
            let warning = label.missing_output(bytes, stream_name(self.stream));
            return Ok(writer.warn(&Diagnostic::warning(warning))?);
        }
        Ok(writer.write_line(self.stream, &gap(bytes))?)
    }
}

const fn stream_name(stream: OutputStream) -> &'static str {
    match stream {
        OutputStream::Stdout => "standard output",
        OutputStream::Stderr => "standard error",
    }
}
