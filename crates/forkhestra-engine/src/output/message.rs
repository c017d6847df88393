//! What a pump has to say.

use std::io;

use forkhestra_core::event::Sighting;
use forkhestra_core::id::UnitId;

use super::Stream;

/// Something that happened in a pump. It is a closed set, and no bytes of output are in it.
#[derive(Debug)]
pub enum Message {
    /// A line that is a marker went by.
    Marker {
        /// Who printed it.
        unit: UnitId,
        /// Which marker, and where.
        sighting: Sighting,
    },
    /// A job is over.
    Ended(Ended),
    /// Nobody will ever read what is written to the outlet. This is said once in a pump's life; the
    /// pump goes on scanning and logging.
    OutletClosed(Stream),
    /// The outlet takes no bytes. This is said once in a pump's life, and not after
    /// [`OutletClosed`](Self::OutletClosed); the pump goes on scanning and logging.
    OutletFailed(Stream, io::Error),
}

/// What there is to know about a job that is over.
#[derive(Debug)]
pub struct Ended {
    /// Whose output it was.
    pub unit: UnitId,
    /// Which stream.
    pub stream: Stream,
    /// How many bytes were printed.
    pub bytes: u64,
    /// Why no more was read.
    pub end: EndOfOutput,
    /// A marker that was one only because nothing followed it.
    pub sighting: Option<Sighting>,
    /// Why not everything is in the log.
    pub log_failure: Option<io::Error>,
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
