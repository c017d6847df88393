//! A way to tell a pump that waits for output not to wait any longer.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forkhestra_core::id::UnitId;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;

/// Whose output is to be waited for no longer, and a pipe that wakes whoever waits.
#[derive(Debug)]
pub(super) struct Abandon {
    unit: Mutex<Option<UnitId>>,
    reader: PipeReader,
    writer: PipeWriter,
}

impl Abandon {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        // Neither the one who wakes nor the one who is woken ever waits here.
        fcntl_setfl(&reader, OFlags::NONBLOCK)?;
        fcntl_setfl(&writer, OFlags::NONBLOCK)?;
        Ok(Self { unit: Mutex::new(None), reader, writer })
    }

    /// Says that the output of this unit is to be waited for no longer.
    pub(super) fn request(&self, unit: UnitId) {
        *self.lock() = Some(unit);
        // A full pipe wakes as well as one with a byte more. No other error is possible: we hold
        // both ends.
        let _full = rustix::io::write(&self.writer, &[0]);
    }

    /// Whether the output of this unit is to be waited for no longer.
    pub(super) fn is_requested(&self, unit: UnitId) -> bool {
        *self.lock() == Some(unit)
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

    fn lock(&self) -> MutexGuard<'_, Option<UnitId>> {
        self.unit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
