//! What Linux can do with pipes and others cannot.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::pipe::{SpliceFlags, fcntl_setpipe_size, tee};

/// What a pipe through which much goes should hold: the fewer switches between reader and writer,
/// the better, but it should stay in the cache.
const PIPE_SIZE: usize = 256 * 1024;

/// Hands on at most so many bytes of one pipe to another, without copying them, without taking
/// them out of the first one and without waiting. Returns how many. None is always a possible
/// answer: then the bytes have to be read and written.
pub(super) fn splice(from: impl AsFd, to: BorrowedFd<'_>, most: usize) -> usize {
    // Whatever is wrong with the pipe, the write that follows finds it too, and can say so.
    tee(from, to, most, SpliceFlags::NONBLOCK).unwrap_or(0)
}

/// Makes a pipe larger, if that is possible.
pub(super) fn enlarge_pipe(pipe: impl AsFd) {
    // It is not if the user has too many large pipes already. All is well without.
    let _refused = fcntl_setpipe_size(pipe, PIPE_SIZE);
}
