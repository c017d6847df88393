//! Messages of a pump.

use std::io;

use forkhestra_core::event::MarkerMatch;
use forkhestra_core::event::output_stream::OutputStream;

use super::{OutputOwner, StderrSummary};
use crate::agent::{StreamFact, StreamResult};

/// A message of a pump. Messages contain no output bytes.
#[derive(Debug)]
pub enum PumpMessage {
    /// A marker was found.
    Marker {
        owner: OutputOwner,
        marker_match: MarkerMatch,
    },
    /// A fact from a stream of events that may affect the run.
    Fact {
        owner: OutputOwner,
        fact: StreamFact,
    },
    Ended(PumpJobEnd),
    /// The reader of the sink is gone. Reported once for each pump, which goes on scanning and
    /// logging.
    SinkClosed(OutputStream),
    /// The sink failed. Reported once for each pump, and not after
    /// [`SinkClosed`](Self::SinkClosed); the pump goes on scanning and logging.
    SinkFailed(OutputStream, io::Error),
}

/// The result of a job.
#[derive(Debug)]
pub struct PumpJobEnd {
    pub owner: OutputOwner,
    pub stream: OutputStream,
    pub bytes: u64,
    /// Why reading ended.
    pub end: EndOfOutput,
    pub result: PumpJobResult,
    /// Why the log is incomplete.
    pub log_failure: Option<io::Error>,
}

/// The result of interpreting a whole stream.
#[derive(Debug, PartialEq)]
pub enum PumpJobResult {
    Nothing,
    /// A marker that counts only at the end of the output.
    Marker(MarkerMatch),
    Stream(StreamResult),
    Stderr(StderrSummary),
    /// The last output.
    Tail(String),
}

/// Why reading of an agent's output ended.
#[derive(Debug)]
pub enum EndOfOutput {
    /// All writers have closed the pipe.
    Closed,
    /// The job was abandoned. The pipe may still be open for writing.
    Abandoned,
    Failed(io::Error),
}
