//! Reserves disk space on Linux.

use std::fs::File;
use std::io;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

use super::SpaceReservation;

/// Reserves space for a part of a file without changing its length.
pub(super) fn reserve(file: &File, from: u64, length: u64) -> io::Result<SpaceReservation> {
    loop {
        return match fallocate(file, FallocateFlags::KEEP_SIZE, from, length) {
            Ok(()) => Ok(SpaceReservation::Yes),
            Err(Errno::INTR) => continue,
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(SpaceReservation::Impossible),
            Err(error) => Err(error.into()),
        };
    }
}
