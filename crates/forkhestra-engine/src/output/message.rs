//! What a pump has to say.

use std::io;

use forkhestra_core::event::Sighting;
use forkhestra_core::output_stream::OutputStream;

use super::{Complained, Who};
use crate::agent::{Fact, Findings};

/// Something that happened in a pump. It is a closed set, and no bytes of output are in it.
#[derive(Debug)]
pub enum Message {
    /// A line that is a marker went by.
    Marker {
        /// Who printed it.
        who: Who,
        /// Which marker, and where.
        sighting: Sighting,
    },
    /// A stream of events tells something that may change what becomes of the run.
    Fact {
        /// Whose stream.
        who: Who,
        /// What it tells.
        fact: Fact,
    },
    /// A job is over.
    Ended(Ended),
    /// Nobody will ever read what is written to the outlet. This is said once in a pump's life; the
    /// pump goes on scanning and logging.
    OutletClosed(OutputStream),
    /// The outlet takes no bytes. This is said once in a pump's life, and not after
    /// [`OutletClosed`](Self::OutletClosed); the pump goes on scanning and logging.
    OutletFailed(OutputStream, io::Error),
}

/// What there is to know about a job that is over.
#[derive(Debug)]
pub struct Ended {
    /// Whose output it was.
    pub who: Who,
    /// Which stream.
    pub stream: OutputStream,
    /// How many bytes were printed.
    pub bytes: u64,
    /// Why no more was read.
    pub end: EndOfOutput,
    /// What all of it comes to.
    pub found: Found,
    /// Why not everything is in the log.
    pub log_failure: Option<io::Error>,
}

/// What a whole stream comes to.
#[derive(Debug, PartialEq)]
pub enum Found {
    /// Nothing that matters.
    Nothing,
    /// A marker, be it one only because nothing followed it.
    Marker(Sighting),
    /// What a stream of events tells.
    Findings(Findings),
    /// What complaints come to.
    Complained(Complained),
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
