//! Reserves disk space in advance, so that a full disk is detected before data is at stake.

use std::io;

use crate::disk::{DiskFile, SpaceReservation};

/// Upper bound for the records of an iteration's outcome and of the end of its step and run. The
/// output of checks may exceed it, but checks can be repeated at no cost.
const RESERVED_BYTES: u64 = 16 * 1024;
/// The amount reserved at once.
const RESERVE_STEP_BYTES: u64 = 64 * 1024;

/// The space reserved beyond the end of a file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DiskReserve {
    end: u64,
    is_impossible: bool,
}

impl DiskReserve {
    /// Makes sure that there is space after the end of a file of this length.
    pub(crate) fn reserve_ahead(&mut self, file: &dyn DiskFile, length: u64) -> io::Result<()> {
        if self.is_impossible || self.end >= length + RESERVED_BYTES {
            return Ok(());
        }
        match file.reserve(length, RESERVE_STEP_BYTES)? {
            SpaceReservation::Yes => self.end = length + RESERVE_STEP_BYTES,
            SpaceReservation::Impossible => self.is_impossible = true,
        }
        Ok(())
    }

    /// Releases unused space. An error is ignored: the space stays with the file, and the end of
    /// the run is already recorded.
    pub(crate) fn release_unused(&mut self, file: &dyn DiskFile, length: u64) {
        // A different length means that another process writes the file, and truncating would
        // destroy its data.
        let is_ours = file.metadata().is_ok_and(|metadata| metadata.len() == length);
        if self.end > length && is_ours {
            let _ = file.set_len(length);
        }
        self.end = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn reserved_space_that_cannot_be_released_stays() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("journal.jsonl");
        fs::write(&path, "12345").expect("there is room");
        // A file that is open for reading cannot be truncated.
        let file = File::open(&path).expect("it is there");
        let mut reservation = DiskReserve { end: 10, is_impossible: false };
        file.set_len(5).expect_err("it may only be read");
        reservation.release_unused(&file, 5);
        assert_eq!(
            (reservation.end, fs::read(&path).expect("it is there")),
            (0, b"12345".to_vec())
        );
    }
}
