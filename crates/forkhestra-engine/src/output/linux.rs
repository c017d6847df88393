//! Pipe operations that only Linux has.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::pipe::{SpliceFlags, fcntl_setpipe_size, tee};

/// Duplicates at most `limit` bytes from one pipe to another without copying, consuming or waiting.
/// Returns how many. Zero is always possible: then the bytes have to be read and written.
pub(super) fn splice(from: impl AsFd, to: BorrowedFd<'_>, limit: usize) -> usize {
    // The write that follows finds and reports the same error.
    tee(from, to, limit, SpliceFlags::NONBLOCK).unwrap_or(0)
}

/// Sets the size of a pipe if possible.
pub(super) fn set_pipe_size(pipe: impl AsFd, bytes: usize) {
    // Refused if the user has too many large pipes already, which does no harm.
    let _refused = fcntl_setpipe_size(pipe, bytes);
}
