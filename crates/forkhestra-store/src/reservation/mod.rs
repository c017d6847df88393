//! Space that is taken before it is needed, so that a full disk is noticed while nothing is lost.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod reserve;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod reserve;

use std::fs::File;
use std::io;

use reserve::{Reserved, reserve};

/// What the records of an iteration's outcome, and of the end of its step and run, take at most.
const ROOM: u64 = 16 * 1024;
/// How much is taken at once.
const STEP: u64 = 64 * 1024;

/// How far beyond its end a file has space.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reservation {
    end: u64,
    is_impossible: bool,
}

impl Reservation {
    /// Makes sure that there is room behind the end of a file of this length.
    pub(crate) fn make_room(&mut self, file: &File, length: u64) -> io::Result<()> {
        if self.is_impossible || self.end >= length + ROOM {
            return Ok(());
        }
        match reserve(file, length, STEP)? {
            Reserved::Yes => self.end = length + STEP,
            Reserved::Impossible => self.is_impossible = true,
        }
        Ok(())
    }

    /// Gives back what was not needed.
    pub(crate) fn give_back(&mut self, file: &File, length: u64) -> io::Result<()> {
        // A length that is not ours means that others write too, and truncating would harm them.
        if self.end > length && file.metadata()?.len() == length {
            file.set_len(length)?;
        }
        self.end = 0;
        Ok(())
    }
}
