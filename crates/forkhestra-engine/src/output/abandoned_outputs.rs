//! Makes a pump stop waiting for output.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;

use super::OutputOwner;

/// The owner whose output is abandoned, and a pipe that wakes the pump.
#[derive(Debug)]
pub(super) struct AbandonedOutputs {
    owner: Mutex<Option<OutputOwner>>,
    reader: PipeReader,
    writer: PipeWriter,
}

impl AbandonedOutputs {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        // Neither end may block.
        fcntl_setfl(&reader, OFlags::NONBLOCK)?;
        fcntl_setfl(&writer, OFlags::NONBLOCK)?;
        Ok(Self { owner: Mutex::new(None), reader, writer })
    }

    /// Abandons the output of this owner.
    pub(super) fn request(&self, owner: OutputOwner) {
        *self.lock() = Some(owner);
        // A full pipe wakes the pump as well. No other error is possible, since both ends are open.
        let _full = rustix::io::write(&self.writer, &[0]);
    }

    /// Whether the output of this owner is abandoned.
    pub(super) fn is_requested(&self, owner: OutputOwner) -> bool {
        *self.lock() == Some(owner)
    }

    /// Becomes readable with every request.
    pub(super) const fn wake(&self) -> &PipeReader {
        &self.reader
    }

    /// Empties the pipe until the next request.
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
