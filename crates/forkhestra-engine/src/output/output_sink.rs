//! The sink for agents' output.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::LaneNumber;

use crate::agent::stream::agent_event::AgentEvent;

/// Receives agents' output for display. The caller provides it, since the engine prints nothing
/// itself.
pub trait OutputSink: Send + Sync {
    /// Writes all bytes unchanged, and blocks as long as that takes.
    ///
    /// [`io::ErrorKind::BrokenPipe`] means that the reader is gone. After any error the pump does
    /// not write again.
    fn write(&self, stream: OutputStream, bytes: &[u8]) -> io::Result<()>;

    /// Displays standard error of an agent whose stream is understood. Unlike that of other programs
    /// it is text, from which the implementation removes what a terminal would execute.
    ///
    /// Errors have the same meaning as in [`write`](Self::write).
    fn write_stderr_text(&self, bytes: &[u8]) -> io::Result<()> {
        self.write(OutputStream::Stderr, bytes)
    }

    /// Displays an event of an agent whose stream is understood. The bytes of the stream are not
    /// written.
    ///
    /// Errors have the same meaning as in [`write`](Self::write).
    fn write_event(&self, _event: &AgentEvent<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Lends the pipe that [`write`](Self::write) writes to, if it does nothing else with the
    /// bytes. A pump copies bulk output faster if it can use the pipe directly.
    ///
    /// `put` writes as many bytes as fit without blocking and returns the last byte written, if
    /// any. Meanwhile there must be no other writer.
    fn lend_pipe(&self, _stream: OutputStream, _put: &mut dyn FnMut(BorrowedFd<'_>) -> Option<u8>) {
    }

    /// The sink for the output of agents in a lane, where several agents write at once; none if
    /// this one takes it.
    fn of_lane(self: Arc<Self>, _lane: LaneNumber) -> Option<Arc<dyn OutputSink>> {
        None
    }
}
