//! Reads the whole output of a helper process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The size of one read.
const CHUNK_BYTES: usize = 64 * 1024;

/// Bounds of a read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PipeReadBounds {
    pub(crate) deadline: Instant,
    /// Reading ends when the first pipe has yielded more bytes than this.
    pub(crate) max_bytes: usize,
}

/// Reads two pipes to their ends or bounds concurrently, so that a full pipe cannot block the
/// helper. `None` if the deadline passes first.
pub(crate) fn read_both(
    stdout: impl AsFd,
    stderr: impl AsFd,
    bounds: PipeReadBounds,
) -> io::Result<Option<[Vec<u8>; 2]>> {
    let PipeReadBounds { deadline, max_bytes } = bounds;
    let mut readers = [TwoPipeReader::new(stdout.as_fd()), TwoPipeReader::new(stderr.as_fd())];
    while readers.iter().any(|pipe_reader| pipe_reader.is_open)
        && readers[0].bytes.len() <= max_bytes
    {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let left = Timespec::try_from(left).ok();
        let open = readers.iter().filter(|pipe_reader| pipe_reader.is_open);
        let mut files: Vec<PollFd<'_>> = open
            .map(|pipe_reader| PollFd::from_borrowed_fd(pipe_reader.pipe, PollFlags::IN))
            .collect();
        match poll(&mut files, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let ready: Vec<bool> = files.iter().map(|file| !file.revents().is_empty()).collect();
        let open = readers.iter_mut().filter(|pipe_reader| pipe_reader.is_open);
        for (pipe_reader, _) in open.zip(ready).filter(|(_, ready)| *ready) {
            pipe_reader.read()?;
        }
    }
    Ok(Some(readers.map(|pipe_reader| pipe_reader.bytes)))
}

struct TwoPipeReader<'a> {
    pipe: BorrowedFd<'a>,
    bytes: Vec<u8>,
    is_open: bool,
}

impl<'a> TwoPipeReader<'a> {
    const fn new(pipe: BorrowedFd<'a>) -> Self {
        Self { pipe, bytes: Vec::new(), is_open: true }
    }

    fn read(&mut self) -> io::Result<()> {
        let mut piece = vec![0; CHUNK_BYTES];
        let read = match rustix::io::read(self.pipe, &mut piece) {
            Err(Errno::INTR) => return Ok(()),
            read => read?,
        };
        self.bytes.extend_from_slice(&piece[..read]);
        self.is_open = read > 0;
        Ok(())
    }
}
