//! A way to tell a pump that waits for output not to wait any longer.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;

use super::OutputOwner;

/// Whose output is to be waited for no longer, and a pipe that wakes whoever waits.
#[derive(Debug)]
pub(super) struct AbandonedOutputs {
    owner: Mutex<Option<OutputOwner>>,
    reader: PipeReader,
    writer: PipeWriter,
}

impl AbandonedOutputs {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        // Neither the one who wakes nor the one who is woken ever waits here.
        fcntl_setfl(&reader, OFlags::NONBLOCK)?;
        fcntl_setfl(&writer, OFlags::NONBLOCK)?;
        Ok(Self { owner: Mutex::new(None), reader, writer })
    }

    /// Says that the output of this one is to be waited for no longer.
    pub(super) fn request(&self, who: OutputOwner) {
        *self.lock() = Some(who);
        // A full pipe wakes as well as one with a byte more. No other error is possible: we hold
        // both ends.
        let _full = rustix::io::write(&self.writer, &[0]);
    }

    /// Whether the output of this one is to be waited for no longer.
    pub(super) fn is_requested(&self, who: OutputOwner) -> bool {
        *self.lock() == Some(who)
    }

    /// What becomes readable with every request.
    pub(super) const fn wake(&self) -> &PipeReader {
        &self.reader
    }

    /// Makes the pipe unreadable until the next request.
    pub(super) fn clear_wake(&self) -> Result<(), Errno> {
        let mut bytes = [0; 64];
        loop {
            match rustix::io::read(&self.reader, &mut bytes) {
                Ok(0) | Err(Errno::AGAIN) => return Ok(()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<OutputOwner>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
