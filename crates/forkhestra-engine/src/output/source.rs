//! The reading end of an agent's pipe.

use std::os::fd::{BorrowedFd, OwnedFd};

use forkhestra_core::id::UnitId;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{Errno, ioctl_fionread};

use super::EndOfOutput;
use super::abandon::Abandon;
use super::platform::{share, widen};

/// Who prints so many bytes at once prints a lot, and every copy of them counts.
const BULK: usize = 16 * 1024;

/// Bytes that were read.
pub(super) struct Arrival {
    pub(super) length: usize,
    /// Whether they are in the outlet's pipe already.
    pub(super) is_shared: bool,
}

/// Reads what is there, waits where nothing is, and can be told not to wait.
pub(super) struct Source<'a> {
    unit: UnitId,
    fd: OwnedFd,
    abandon: &'a Abandon,
    /// How much is still to be read after we were told to stop. Somebody who never ceases to print
    /// cannot keep us.
    rest: Option<u64>,
    /// How many of the bytes that are still to be read are in the outlet's pipe already.
    shared: usize,
    /// Whether there were many bytes the last time.
    is_bulk: bool,
    is_wide: bool,
}

impl<'a> Source<'a> {
    /// Fails if the file cannot be made non-blocking.
    pub(super) fn new(unit: UnitId, fd: OwnedFd, abandon: &'a Abandon) -> Result<Self, Errno> {
        // Waiting is for `poll`, which can wait for two things at once.
        fcntl_setfl(&fd, OFlags::NONBLOCK)?;
        Ok(Self { unit, fd, abandon, rest: None, shared: 0, is_bulk: false, is_wide: false })
    }

    /// Waits for more bytes. At least one is read, or this is the end. If the outlet is a pipe they
    /// may come to be in it on the way.
    pub(super) fn read(
        &mut self,
        buffer: &mut [u8],
        pipe: Option<BorrowedFd<'_>>,
    ) -> Result<Arrival, EndOfOutput> {
        loop {
            let mut most = self.most(buffer.len())?;
            if let Some(pipe) = pipe
                && self.is_bulk
                && self.shared == 0
            {
                self.shared = share(&self.fd, pipe, most);
            }
            if self.shared > 0 {
                most = most.min(self.shared);
            }
            match rustix::io::read(&self.fd, &mut buffer[..most]) {
                Ok(0) => return Err(EndOfOutput::Closed),
                Ok(length) => return Ok(self.arrived(length, pipe)),
                Err(Errno::AGAIN) if self.rest.is_some() => return Err(EndOfOutput::Abandoned),
                Err(Errno::AGAIN) => self.wait().map_err(failed)?,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed(errno)),
            }
        }
    }

    fn arrived(&mut self, length: usize, pipe: Option<BorrowedFd<'_>>) -> Arrival {
        self.rest = self.rest.map(|rest| rest - length as u64);
        let is_shared = self.shared > 0;
        self.shared = self.shared.saturating_sub(length);
        self.is_bulk = length >= BULK;
        if self.is_bulk && !self.is_wide {
            self.is_wide = true;
            widen(&self.fd);
            if let Some(pipe) = pipe {
                widen(pipe);
            }
        }
        Arrival { length, is_shared }
    }

    /// How much may be read at once into a buffer of this length.
    fn most(&mut self, buffer: usize) -> Result<usize, EndOfOutput> {
        if self.rest.is_none() && self.abandon.is_requested(self.unit) {
            self.rest = Some(ioctl_fionread(&self.fd).map_err(failed)?);
        }
        match self.rest {
            None => Ok(buffer),
            Some(0) => Err(EndOfOutput::Abandoned),
            Some(rest) => Ok(usize::try_from(rest).map_or(buffer, |rest| rest.min(buffer))),
        }
    }

    /// Waits until there is something to read or we are told to stop.
    fn wait(&self) -> Result<(), Errno> {
        let mut files =
            [PollFd::new(&self.fd, PollFlags::IN), PollFd::new(self.abandon.wake(), PollFlags::IN)];
        match poll(&mut files, None) {
            Ok(_) if files[1].revents().is_empty() => Ok(()),
            Ok(_) => self.abandon.clear_wake(),
            Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno),
        }
    }
}

fn failed(errno: Errno) -> EndOfOutput {
    EndOfOutput::Failed(errno.into())
}
