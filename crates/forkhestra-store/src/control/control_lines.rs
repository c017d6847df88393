//! Lines from somebody who may be slow, silent or wrong.

use std::io::{self, ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// No line may be longer than this, without its end.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// So much is read at once.
const PIECE: usize = 4 * 1024;

/// Why there is no line.
#[derive(Debug, thiserror::Error)]
pub(super) enum ControlLineError {
    /// It is too long.
    #[error("the line is longer than {} KiB", LONGEST_LINE / 1024)]
    TooLong,
    /// The other side ended before the line did.
    #[error("the line does not end")]
    CutOff,
    /// It did not come in time.
    #[error("no line came in time")]
    TooSlow,
    /// The other side cannot be read.
    #[error(transparent)]
    Broken(io::Error),
}

/// Takes a stream apart.
#[derive(Debug, Default)]
pub(super) struct ControlLines {
    /// What has been read and is not yet given.
    rest: Vec<u8>,
}

impl ControlLines {
    /// The next line without its end; none if there is no more. It has to be complete by the deadline,
    /// however little is missing.
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
                return if end > LONGEST_LINE {
                    Err(ControlLineError::TooLong)
                } else {
                    Ok(Some(line))
                };
            }
            if self.rest.len() > LONGEST_LINE {
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
        let mut piece = [0; PIECE];
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
