//! Where the bytes go.

use std::io;
use std::os::fd::BorrowedFd;

use forkhestra_core::event::output_stream::OutputStream;

use crate::agent::stream::agent_event::AgentEvent;

/// Where the bytes go for people or programs to read. It is given by the caller, since the engine
/// prints nothing itself.
pub trait OutputSink: Send + Sync {
    /// Takes all of the bytes, as they are, and waits for as long as that needs.
    ///
    /// The kind [`io::ErrorKind::BrokenPipe`] means that nobody will ever read them. After any
    /// error a pump does not write to its outlet again.
    fn write(&self, stream: OutputStream, bytes: &[u8]) -> io::Result<()>;

    /// Takes what an agent said whose stream is understood. Its bytes are not written.
    ///
    /// Errors mean what they mean in [`write`](Self::write).
    fn write_event(&self, _event: &AgentEvent<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Lends the pipe into which bytes of this stream go, if [`write`](Self::write) does nothing
    /// but write them there. Agents that print a lot are copied faster if it can be used directly.
    ///
    /// `put` puts as many bytes there as fit at once, never waits, and says which byte was the last
    /// one, if there were any. Meanwhile nobody else may write to the pipe.
    fn lend_pipe(&self, _stream: OutputStream, _put: &mut dyn FnMut(BorrowedFd<'_>) -> Option<u8>) {
    }
}
