//! Reads lines from a client that may be slow, silent or wrong.

use std::io::{self, ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// The maximum length of a line, without its line break.
pub(super) const MAX_LINE_BYTES: usize = 64 * 1024;

/// The size of one read.
const CHUNK_BYTES: usize = 4 * 1024;

/// Why no line was read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ControlLineError {
    #[error("the line is longer than {} KiB", MAX_LINE_BYTES / 1024)]
    TooLong,
    /// The client closed the connection in the middle of a line.
    #[error("the line does not end")]
    CutOff,
    #[error("no line came in time")]
    TooSlow,
    #[error(transparent)]
    Broken(io::Error),
}

/// Splits a stream into lines.
#[derive(Debug, Default)]
pub(super) struct ControlLines {
    /// Bytes that were read and not yet returned.
    rest: Vec<u8>,
}

impl ControlLines {
    /// The next line without its line break; `None` at the end of the stream. The line has to be
    /// complete by the deadline.
    pub(super) fn next(
        &mut self,
        stream: &UnixStream,
        deadline: Instant,
    ) -> Result<Option<Vec<u8>>, ControlLineError> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let behind = self.rest.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.rest, behind);
                line.pop();
                return if end > MAX_LINE_BYTES {
                    Err(ControlLineError::TooLong)
                } else {
                    Ok(Some(line))
                };
            }
            if self.rest.len() > MAX_LINE_BYTES {
                return Err(ControlLineError::TooLong);
            }
            if self.read(stream, deadline)? == 0 {
                return if self.rest.is_empty() { Ok(None) } else { Err(ControlLineError::CutOff) };
            }
        }
    }

    fn read(
        &mut self,
        mut stream: &UnixStream,
        deadline: Instant,
    ) -> Result<usize, ControlLineError> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ControlLineError::TooSlow);
        }
        let mut piece = [0; CHUNK_BYTES];
        let read = stream.set_read_timeout(Some(left)).and_then(|()| stream.read(&mut piece));
        match read {
            Ok(read) => {
                self.rest.extend_from_slice(&piece[..read]);
                Ok(read)
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => Err(ControlLineError::TooSlow),
                ErrorKind::Interrupted => self.read(stream, deadline),
                _ => Err(ControlLineError::Broken(error)),
            },
        }
    }
}
