//! Writes the output of agents, and headings between it, to the standard streams.

use std::io::{self, Write as _};
use std::os::fd::AsFd;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::plan::DirectSpawn;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::Errno;
use typeset::color_mode::{ColorMode, PrintStyle, painted};
use typeset::stream::SanitizedBytes;

use super::log_rendering::LogRendering;
use crate::report::agent::SanitizedText;
use crate::report::diagnostic;
use crate::report::plan::dry_run::Verbosity;
use crate::report::run::{ByteSink, DescriptorSink, same_place};

/// Interval between polls for new output.
const POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Writer for both standard streams. Each call is one write, without buffering.
pub(crate) struct LogWriter {
    out: LogOutput,
    err: LogOutput,
    is_raw: bool,
    detail: Verbosity,
    /// Whether both streams lead to the same terminal or file.
    is_shared: bool,
}

/// One standard stream.
struct LogOutput {
    sink: DescriptorSink,
    style: PrintStyle,
    at_line_start: bool,
}

impl LogWriter {
    /// Uses the standard streams of this process.
    pub(crate) fn of_process(
        color: ColorMode,
        is_raw: bool,
        detail: Verbosity,
    ) -> io::Result<Self> {
        let (out, err) = (io::stdout(), io::stderr());
        let is_shared = same_place(out.as_fd(), err.as_fd());
        let side = |sink, style| LogOutput { sink, style, at_line_start: true };
        Ok(Self {
            out: side(DescriptorSink::of(out.as_fd())?, color.style_for(&out)),
            err: side(DescriptorSink::of(err.as_fd())?, color.style_for(&err)),
            is_raw,
            detail,
            is_shared,
        })
    }

    /// Whether bytes pass unchanged, without headings.
    pub(crate) const fn is_raw(&self) -> bool {
        self.is_raw
    }

    /// The rendering of a stream for this writer.
    pub(super) fn rendering(
        &self,
        stream: OutputStream,
        agent: Option<&DirectSpawn>,
    ) -> LogRendering {
        match (self.is_raw, stream, agent) {
            (true, _, _) => LogRendering::Raw,
            (false, OutputStream::Stdout, Some(direct)) => {
                LogRendering::understood(direct, self.detail, self.out.style)
            }
            (false, OutputStream::Stdout, None) => {
                LogRendering::Text(SanitizedText::new(self.out.style.colored))
            }
            // As during the run, an agent that is understood has only the colours of forkhestra.
            (false, OutputStream::Stderr, agent) => {
                let keeps_colors = self.err.style.colored && agent.is_none();
                LogRendering::Text(SanitizedText::new(keeps_colors))
            }
        }
    }

    /// Writes output of an agent.
    pub(crate) fn write_output(
        &mut self,
        stream: OutputStream,
        shown: &SanitizedBytes<'_>,
    ) -> io::Result<()> {
        let SanitizedBytes { bytes, last } = shown;
        if let Some(last) = last {
            self.end_with(stream, *last == b'\n');
        }
        self.side(stream).sink.write_all(bytes)
    }

    /// Writes text of forkhestra, from the start of a line.
    pub(crate) fn write_line(&mut self, stream: OutputStream, text: &str) -> io::Result<()> {
        let side = self.side(stream);
        let mut bytes = Vec::new();
        if !side.at_line_start {
            bytes.push(b'\n');
        }
        bytes.write_all(painted(text, side.style).as_bytes())?;
        side.sink.write_all(&bytes)?;
        self.end_with(stream, true);
        Ok(())
    }

    /// Writes a warning.
    pub(crate) fn warn(&mut self, warning: &Diagnostic) -> io::Result<()> {
        self.write_line(OutputStream::Stderr, &diagnostic::render(warning))
    }

    const fn side(&mut self, stream: OutputStream) -> &mut LogOutput {
        match stream {
            OutputStream::Stdout => &mut self.out,
            OutputStream::Stderr => &mut self.err,
        }
    }

    fn end_with(&mut self, stream: OutputStream, at_line_start: bool) {
        self.side(stream).at_line_start = at_line_start;
        if self.is_shared {
            self.out.at_line_start = at_line_start;
            self.err.at_line_start = at_line_start;
        }
    }
}

/// Waits for the poll interval. Returns an error if standard output has no reader any more.
pub(crate) fn wait_for_poll_interval() -> io::Result<()> {
    let out = io::stdout();
    let kind = fstat(&out).map(|stat| FileType::from_raw_mode(stat.st_mode));
    // Only for pipes and sockets every system reports a missing reader.
    let has_reader = matches!(kind, Ok(FileType::Fifo | FileType::Socket));
    let mut watched = [PollFd::new(&out, PollFlags::empty())];
    match poll(&mut watched[..usize::from(has_reader)], Some(&POLL_INTERVAL)) {
        Ok(0) | Err(Errno::INTR) => Ok(()),
        Ok(_) => Err(io::ErrorKind::BrokenPipe.into()),
        Err(error) => Err(error.into()),
    }
}
