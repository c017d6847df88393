//! Fallback for the pipe operations of Linux.

use std::os::fd::{AsFd, BorrowedFd};

/// Not supported: bytes have to be read and written.
pub(super) fn splice(_from: impl AsFd, _to: BorrowedFd<'_>, _limit: usize) -> usize {
    0
}

/// Not supported: leaves the pipe unchanged.
pub(super) fn set_pipe_size(_pipe: impl AsFd, _bytes: usize) {}
