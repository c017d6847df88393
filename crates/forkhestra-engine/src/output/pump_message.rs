//! What a pump has to say.

use std::io;

use forkhestra_core::event::MarkerMatch;
use forkhestra_core::event::output_stream::OutputStream;

use super::{OutputOwner, StderrSummary};
use crate::agent::{StreamFact, StreamResult};

/// Something that happened in a pump. It is a closed set, and no bytes of output are in it.
#[derive(Debug)]
pub enum PumpMessage {
    /// A line that is a marker went by.
    Marker {
        /// Who printed it.
        who: OutputOwner,
        /// Which marker, and where.
        sighting: MarkerMatch,
    },
    /// A stream of events tells something that may change what becomes of the run.
    Fact {
        /// Whose stream.
        who: OutputOwner,
        /// What it tells.
        fact: StreamFact,
    },
    /// A job is over.
    Ended(PumpJobEnd),
    /// Nobody will ever read what is written to the outlet. This is said once in a pump's life; the
    /// pump goes on scanning and logging.
    SinkClosed(OutputStream),
    /// The outlet takes no bytes. This is said once in a pump's life, and not after
    /// [`SinkClosed`](Self::SinkClosed); the pump goes on scanning and logging.
    SinkFailed(OutputStream, io::Error),
}

/// What there is to know about a job that is over.
#[derive(Debug)]
pub struct PumpJobEnd {
    /// Whose output it was.
    pub owner: OutputOwner,
    /// Which stream.
    pub stream: OutputStream,
    /// How many bytes were printed.
    pub bytes: u64,
    /// Why no more was read.
    pub end: EndOfOutput,
    /// What all of it comes to.
    pub result: PumpJobResult,
    /// Why not everything is in the log.
    pub log_failure: Option<io::Error>,
}

/// What a whole stream comes to.
#[derive(Debug, PartialEq)]
pub enum PumpJobResult {
    /// Nothing that matters.
    Nothing,
    /// A marker, be it one only because nothing followed it.
    Marker(MarkerMatch),
    /// What a stream of events tells.
    Stream(StreamResult),
    /// What complaints come to.
    Stderr(StderrSummary),
    /// The end of it.
    Tail(String),
}

/// Why no more was read of an agent's output.
#[derive(Debug)]
pub enum EndOfOutput {
    /// Nobody has the pipe open for writing any more.
    Closed,
    /// We did not want to wait any longer. Somebody may still have the pipe open.
    Abandoned,
    /// It could not be read.
    Failed(io::Error),
}
