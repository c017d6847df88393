//! Where space cannot be reserved.

use std::fs::File;
use std::io;

/// Whether space was reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserved {
    /// It was.
    #[expect(dead_code, reason = "the signature is the same everywhere")]
    Yes,
    /// The system cannot do this.
    Impossible,
}

/// Reserves nothing.
#[expect(clippy::unnecessary_wraps, reason = "the signature is the same everywhere")]
pub(super) fn reserve(_file: &File, _from: u64, _length: u64) -> io::Result<Reserved> {
    Ok(Reserved::Impossible)
}
