//! Stands in for what only Linux can do with pipes.

use std::os::fd::{AsFd, BorrowedFd};

/// Hands on nothing: bytes have to be read and written.
pub(super) fn share(_from: impl AsFd, _to: BorrowedFd<'_>, _most: usize) -> usize {
    0
}

/// Leaves the pipe as it is.
pub(super) fn widen(_pipe: impl AsFd) {}
