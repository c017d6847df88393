//! The fallback for systems that cannot reserve disk space.

use std::fs::File;
use std::io;

use super::SpaceReservation;

/// Reserves nothing.
#[expect(clippy::unnecessary_wraps, reason = "the signature is the same everywhere")]
pub(super) fn reserve(_file: &File, _from: u64, _length: u64) -> io::Result<SpaceReservation> {
    Ok(SpaceReservation::Impossible)
}
