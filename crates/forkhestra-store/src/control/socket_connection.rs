//! One client's connection, on the run's side.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use forkhestra_core::control::ControlRequest;

use super::control_lines::{ControlLineError, ControlLines};
use super::wire::{self, WireReply};

/// The timeout for a client to send or to read a line.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// A client of the control socket, on the run's side.
#[derive(Debug)]
pub struct ControlConnection {
    stream: UnixStream,
    lines: ControlLines,
    timeout: Duration,
}

impl ControlConnection {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self { stream, lines: ControlLines::default(), timeout: REQUEST_TIMEOUT }
    }

    /// The next request, or `None` if there will be no more. A malformed request gets an error
    /// reply here. So does a line that is too long, which ends the connection.
    ///
    /// A request is dropped if its client has closed the connection: that client has reported a
    /// failure, so the request must not take effect. This happens when a run was stopped by a
    /// signal for a while.
    pub fn next_request(&mut self) -> io::Result<Option<ControlRequest>> {
        loop {
            let line = match self.lines.next(&self.stream, Instant::now() + self.timeout) {
                Ok(Some(line)) => line,
                // A client that is gone or silent gets no reply.
                Ok(None) | Err(ControlLineError::TooSlow) => return Ok(None),
                Err(ControlLineError::Broken(error)) => return Err(error),
                Err(why @ (ControlLineError::TooLong | ControlLineError::CutOff)) => {
                    self.reply(WireReply::Error { error: why.to_string() })?;
                    return Ok(None);
                }
            };
            match wire::decode_request(&line) {
                Ok(_) if is_closed_by_client(&self.stream) => return Ok(None),
                Ok(request) => return Ok(Some(request)),
                Err(why) => self.reply(WireReply::Error { error: why.to_string() })?,
            }
        }
    }

    /// Replies to the last request.
    pub fn reply(&mut self, answer: WireReply) -> io::Result<()> {
        self.stream.set_write_timeout(Some(self.timeout))?;
        self.stream.write_all(wire::encode_reply(answer).as_bytes())
    }

    #[cfg(test)]
    pub(super) fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }
}

impl AsFd for ControlConnection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// Whether the client has closed the connection. One that has only closed its sending side still
/// reads.
#[cfg(target_os = "linux")]
fn is_closed_by_client(stream: &UnixStream) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut files = [PollFd::new(stream, PollFlags::empty())];
    let looked = poll(&mut files, Some(&at_once));
    looked.is_ok() && files[0].revents().contains(PollFlags::HUP)
}

/// Other systems do not tell the two cases apart.
#[cfg(not(target_os = "linux"))]
fn is_closed_by_client(_: &UnixStream) -> bool {
    false
}
