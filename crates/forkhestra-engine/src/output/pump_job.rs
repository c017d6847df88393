//! The work of a pump for one agent or errand.

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
    ProgramReader, ProgramResult, StderrOutput, StreamFact, StreamListener, StreamNotice,
};

/// One stream of one agent or errand, to be copied until it ends.
pub struct PumpJob {
    /// Whose output it is.
    pub owner: OutputOwner,
    /// The reading end of the pipe. It is made non-blocking, so nobody else may use it.
    pub fd: OwnedFd,
    /// What the bytes are to whoever decides, and to whoever watches.
    pub reading: StreamReading,
    /// What keeps the bytes.
    pub log: Box<dyn OutputLogSink>,
}

impl PumpJob {
    /// Ends a job whose pipe was closed before anything was printed, or gives it back. This never
    /// waits.
    ///
    /// To wake a thread for nothing costs more than all else there is to do for a silent agent. So
    /// who waits with `poll` anyway can wait for the first sign of the agent there too, and hand the
    /// job to a pump only if this gives it back.
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

    /// Whatever goes wrong here, a pump finds out and can say so.
    fn is_closed_and_empty(&self) -> bool {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut files = [PollFd::new(&self.fd, PollFlags::IN)];
        poll(&mut files, Some(&at_once)).is_ok() && files[0].revents() == PollFlags::HUP
    }
}

/// What the bytes of a stream are to whoever decides, and to whoever watches.
pub enum StreamReading {
    /// Bytes, which are shown as they are.
    Bytes,
    /// Text with markers, which is shown as it is.
    Text(Box<dyn OutputScan>),
    /// What a program prints, which is shown as it is.
    Program(Box<ProgramReader>),
    /// Events, which are told to whoever watches instead of the bytes.
    Events(Box<dyn StreamListener>),
    /// Complaints, which are shown as they are, unless somebody makes events of some. What was said
    /// last may explain an end.
    Stderr(StderrReader),
    /// What nobody watches. It is kept, and its end may explain what came of it.
    Tail(OutputTail),
}

impl StreamReading {
    /// Whether the bytes are shown as they come.
    pub(super) const fn is_passed_through(&self) -> bool {
        match self {
            Self::Bytes | Self::Text(_) | Self::Program(_) => true,
            Self::Events(_) | Self::Tail(_) => false,
            Self::Stderr(complaints) => complaints.is_passed_through(),
        }
    }

    /// Takes note that nothing will follow.
    pub(super) fn finish(self, tell: &mut dyn FnMut(StderrOutput<'_>)) -> PumpJobResult {
        match self {
            Self::Bytes => PumpJobResult::Nothing,
            Self::Text(scan) => scan.finish().map_or(PumpJobResult::Nothing, PumpJobResult::Marker),
            Self::Program(reader) => {
                let mut facts = Vec::new();
                let found = reader.finish(&mut |fact| facts.push(fact));
                // What a marker is to the run is said with what was found.
                let facts = facts.into_iter().filter(|fact| !matches!(fact, StreamFact::Marker(_)));
                facts.for_each(|fact| tell(StderrOutput::Notice(StreamNotice::Fact(fact))));
                match found {
                    ProgramResult { findings: Some(findings), .. } => {
                        PumpJobResult::Stream(findings)
                    }
                    ProgramResult { marker_match: sighting, findings: None } => {
                        sighting.map_or(PumpJobResult::Nothing, PumpJobResult::Marker)
                    }
                }
            }
            Self::Events(listen) => PumpJobResult::Stream(
                listen.finish(&mut |notice| tell(StderrOutput::Notice(notice))),
            ),
            Self::Stderr(complaints) => PumpJobResult::Stderr(complaints.finish(tell)),
            Self::Tail(tail) => PumpJobResult::Tail(tail.lines()),
        }
    }
}

/// Keeps what was printed.
pub trait OutputLogSink: Send {
    /// Takes more bytes. After an error the pump appends nothing more.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Takes note that nothing will follow. It is not called after an error.
    fn finish(&mut self) -> io::Result<()>;
}

/// Looks for facts in what is printed.
pub trait OutputScan: Send {
    /// Looks at more bytes.
    fn feed(&mut self, bytes: &[u8]) -> Option<MarkerMatch>;

    /// Takes note that nothing will follow.
    fn finish(self: Box<Self>) -> Option<MarkerMatch>;
}
