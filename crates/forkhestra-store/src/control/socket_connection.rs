//! One who has something to ask of a run.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use forkhestra_core::control::ControlRequest;

use super::control_lines::{ControlLineError, ControlLines};
use super::wire::{self, WireReply};

/// A client that takes longer for a line, or for reading one, is not waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// A client of the control socket, as the run sees it.
#[derive(Debug)]
pub struct ControlConnection {
    stream: UnixStream,
    lines: ControlLines,
    timeout: Duration,
}

impl ControlConnection {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self { stream, lines: ControlLines::default(), timeout: PATIENCE }
    }

    /// The next request; none if there will be no more. What is no request is answered here, and so is
    /// a line that is too long, which is the last one. Who has given up waiting is told that nothing
    /// came of it, so nothing may: a run that was stopped for a while does not do then what was asked.
    pub fn next_request(&mut self) -> io::Result<Option<ControlRequest>> {
        loop {
            let line = match self.lines.next(&self.stream, Instant::now() + self.timeout) {
                Ok(Some(line)) => line,
                // Whoever is gone or silent is not told.
                Ok(None) | Err(ControlLineError::TooSlow) => return Ok(None),
                Err(ControlLineError::Broken(error)) => return Err(error),
                Err(why @ (ControlLineError::TooLong | ControlLineError::CutOff)) => {
                    self.reply(&WireReply::Error(why.to_string()))?;
                    return Ok(None);
                }
            };
            match wire::decode_request(&line) {
                Ok(_) if has_given_up(&self.stream) => return Ok(None),
                Ok(request) => return Ok(Some(request)),
                Err(why) => self.reply(&WireReply::Error(why.to_string()))?,
            }
        }
    }

    /// Answers the last request.
    pub fn reply(&mut self, answer: &WireReply) -> io::Result<()> {
        self.stream.set_write_timeout(Some(self.timeout))?;
        self.stream.write_all(wire::encode_reply(answer).as_bytes())
    }

    #[cfg(test)]
    pub(super) fn with_timeout(self, patience: Duration) -> Self {
        Self { timeout: patience, ..self }
    }
}

/// Whether nobody is there any more to read an answer. Whoever only has nothing more to say is.
#[cfg(target_os = "linux")]
fn has_given_up(stream: &UnixStream) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut files = [PollFd::new(stream, PollFlags::empty())];
    let looked = poll(&mut files, Some(&at_once));
    looked.is_ok() && files[0].revents().contains(PollFlags::HUP)
}

/// Elsewhere the two cannot be told apart.
#[cfg(not(target_os = "linux"))]
fn has_given_up(_: &UnixStream) -> bool {
    false
}
