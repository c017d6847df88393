//! The work of a pump for one agent or errand.

use std::io;
use std::os::fd::OwnedFd;

use forkhestra_core::event::Sighting;
use forkhestra_core::output_stream::OutputStream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::complaints::Complaints;
use super::message::Found;
use super::tail::Tail;
use super::{EndOfOutput, Ended, Who};
use crate::agent::{Complaint, Fact, Listen, Notice, ProgramFindings, ProgramReader};

/// One stream of one agent or errand, to be copied until it ends.
pub struct Job {
    /// Whose output it is.
    pub who: Who,
    /// The reading end of the pipe. It is made non-blocking, so nobody else may use it.
    pub fd: OwnedFd,
    /// What the bytes are to whoever decides, and to whoever watches.
    pub reading: Reading,
    /// What keeps the bytes.
    pub log: Box<dyn Log>,
}

impl Job {
    /// Ends a job whose pipe was closed before anything was printed, or gives it back. This never
    /// waits.
    ///
    /// To wake a thread for nothing costs more than all else there is to do for a silent agent. So
    /// who waits with `poll` anyway can wait for the first sign of the agent there too, and hand the
    /// job to a pump only if this gives it back.
    pub fn end_if_silent(mut self, stream: OutputStream) -> Result<Ended, Self> {
        if !self.is_closed_and_empty() {
            return Err(self);
        }
        Ok(Ended {
            who: self.who,
            stream,
            bytes: 0,
            end: EndOfOutput::Closed,
            found: self.reading.finish(&mut |_| {}),
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
pub enum Reading {
    /// Bytes, which are shown as they are.
    Bytes,
    /// Text with markers, which is shown as it is.
    Text(Box<dyn Scan>),
    /// What a program prints, which is shown as it is.
    Program(Box<ProgramReader>),
    /// Events, which are told to whoever watches instead of the bytes.
    Events(Box<dyn Listen>),
    /// Complaints, which are shown as they are, unless somebody makes events of some. What was said
    /// last may explain an end.
    Complaints(Complaints),
    /// What nobody watches. It is kept, and its end may explain what came of it.
    Tail(Tail),
}

impl Reading {
    /// Whether the bytes are shown as they come.
    pub(super) const fn is_shown_as_it_is(&self) -> bool {
        match self {
            Self::Bytes | Self::Text(_) | Self::Program(_) => true,
            Self::Events(_) | Self::Tail(_) => false,
            Self::Complaints(complaints) => complaints.are_shown_as_they_are(),
        }
    }

    /// Takes note that nothing will follow.
    pub(super) fn finish(self, tell: &mut dyn FnMut(Complaint<'_>)) -> Found {
        match self {
            Self::Bytes => Found::Nothing,
            Self::Text(scan) => scan.finish().map_or(Found::Nothing, Found::Marker),
            Self::Program(reader) => {
                let mut facts = Vec::new();
                let found = reader.finish(&mut |fact| facts.push(fact));
                // What a marker is to the run is said with what was found.
                let facts = facts.into_iter().filter(|fact| !matches!(fact, Fact::Marker(_)));
                facts.for_each(|fact| tell(Complaint::Notice(Notice::Fact(fact))));
                match found {
                    ProgramFindings { findings: Some(findings), .. } => Found::Findings(findings),
                    ProgramFindings { sighting, findings: None } => {
                        sighting.map_or(Found::Nothing, Found::Marker)
                    }
                }
            }
            Self::Events(listen) => {
                Found::Findings(listen.finish(&mut |notice| tell(Complaint::Notice(notice))))
            }
            Self::Complaints(complaints) => Found::Complained(complaints.finish(tell)),
            Self::Tail(tail) => Found::Tail(tail.lines()),
        }
    }
}

/// Keeps what was printed.
pub trait Log: Send {
    /// Takes more bytes. After an error the pump appends nothing more.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Takes note that nothing will follow. It is not called after an error.
    fn finish(&mut self) -> io::Result<()>;
}

/// Looks for facts in what is printed.
pub trait Scan: Send {
    /// Looks at more bytes.
    fn feed(&mut self, bytes: &[u8]) -> Option<Sighting>;

    /// Takes note that nothing will follow.
    fn finish(self: Box<Self>) -> Option<Sighting>;
}
