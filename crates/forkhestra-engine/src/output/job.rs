//! The work of a pump for one agent.

use std::io;
use std::os::fd::OwnedFd;

use forkhestra_core::event::Sighting;
use forkhestra_core::id::UnitId;

/// One stream of one agent, to be copied until it ends.
pub struct Job {
    /// Whose output it is.
    pub unit: UnitId,
    /// The reading end of the agent's pipe. It is made non-blocking, so nobody else may use it.
    pub fd: OwnedFd,
    /// What looks for facts in the bytes.
    pub scan: Option<Box<dyn Scan>>,
    /// What keeps the bytes.
    pub log: Box<dyn Log>,
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
