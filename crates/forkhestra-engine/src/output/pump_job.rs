//! The job of a pump for one agent or aux job.

use std::io;
use std::os::fd::OwnedFd;

use forkhestra_core::event::MarkerMatch;
use forkhestra_core::event::output_stream::OutputStream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::output_tail::OutputTail;
use super::pump_message::PumpJobResult;
use super::stderr_reader::StderrReader;
use super::{EndOfOutput, OutputOwner, PumpJobEnd};
use crate::agent::{
    ProgramReader, StderrOutput, StreamFact, StreamListener, StreamNotice, StreamResult,
};

/// One output stream of one agent or aux job, to be copied until it ends.
pub struct PumpJob {
    pub owner: OutputOwner,
    /// The reading end of the pipe. It is made non-blocking, so it must not be shared.
    pub fd: OwnedFd,
    /// How the bytes are interpreted and displayed.
    pub reading: StreamReading,
    /// Stores the bytes.
    pub log: Box<dyn OutputLogSink>,
}

impl PumpJob {
    /// Ends a job whose pipe was closed without any output, or returns the job. It never blocks.
    ///
    /// Waking a thread costs more than all other work for a silent agent. A caller that polls
    /// anyway can poll for the first output as well, and start a pump only if this returns the job.
    pub fn end_if_silent(mut self, stream: OutputStream) -> Result<PumpJobEnd, Self> {
        if !self.is_closed_and_empty() {
            return Err(self);
        }
        Ok(PumpJobEnd {
            owner: self.owner,
            stream,
            bytes: 0,
            end: EndOfOutput::Closed,
            result: self.reading.finish(&mut |_| {}),
            log_failure: self.log.finish().err(),
        })
    }

    /// Errors are left for the pump, which reports them.
    fn is_closed_and_empty(&self) -> bool {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut files = [PollFd::new(&self.fd, PollFlags::IN)];
        poll(&mut files, Some(&at_once)).is_ok() && files[0].revents() == PollFlags::HUP
    }
}

/// How the bytes of a stream are interpreted and displayed.
pub enum StreamReading {
    /// Uninterpreted bytes, displayed unchanged.
    Bytes,
    /// Text with markers, displayed unchanged.
    Text(Box<dyn OutputScan>),
    /// The output of a program, displayed unchanged.
    Program(Box<ProgramReader>),
    /// A stream of events, which are displayed instead of the bytes.
    Events(Box<dyn StreamListener>),
    /// Standard error of an agent, displayed as text unless a watcher turns lines into events. Its
    /// tail may explain a failure.
    Stderr(StderrReader),
    /// Output that is not displayed. Its tail is kept for the result.
    Tail(OutputTail),
}

impl StreamReading {
    /// Whether the bytes are displayed unchanged.
    pub(super) const fn is_passed_through(&self) -> bool {
        match self {
            Self::Bytes | Self::Text(_) | Self::Program(_) => true,
            Self::Events(_) | Self::Stderr(_) | Self::Tail(_) => false,
        }
    }

    /// Processes the end of the stream.
    pub(super) fn finish(self, sink: &mut dyn FnMut(StderrOutput<'_>)) -> PumpJobResult {
        match self {
            Self::Bytes => PumpJobResult::Nothing,
            Self::Text(scan) => scan.finish().map_or(PumpJobResult::Nothing, PumpJobResult::Marker),
            Self::Program(reader) => {
                let mut facts = Vec::new();
                let found = reader.finish(&mut |fact| facts.push(fact));
                // The marker match is part of the result.
                let facts = facts.into_iter().filter(|fact| !matches!(fact, StreamFact::Marker(_)));
                facts.for_each(|fact| sink(StderrOutput::Notice(StreamNotice::Fact(fact))));
                match (found.understood, found.marker_match) {
                    (true, marker_match) => {
                        PumpJobResult::Stream(StreamResult { marker_match, ..found })
                    }
                    (false, Some(marker_match)) => PumpJobResult::Marker(marker_match),
                    (false, None) => PumpJobResult::Nothing,
                }
            }
            Self::Events(listen) => PumpJobResult::Stream(
                listen.finish(&mut |notice| sink(StderrOutput::Notice(notice))),
            ),
            Self::Stderr(stderr_reader) => PumpJobResult::Stderr(stderr_reader.finish(sink)),
            Self::Tail(tail) => PumpJobResult::Tail(tail.lines()),
        }
    }
}

/// Stores output.
pub trait OutputLogSink: Send {
    /// Appends bytes. After an error the pump appends nothing more.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Processes the end of the stream. It is not called after an error.
    fn finish(&mut self) -> io::Result<()>;
}

/// Scans output for markers.
pub trait OutputScan: Send {
    /// Scans more bytes.
    fn feed(&mut self, bytes: &[u8]) -> Option<MarkerMatch>;

    /// Processes the end of the stream.
    fn finish(self: Box<Self>) -> Option<MarkerMatch>;
}
