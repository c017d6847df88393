//! Output sinks of the program.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::Errno;
use rustix::termios::isatty;

/// Takes bytes, completely or with an error. Callers are responsible for the order.
pub(crate) trait ByteSink: Send + Sync {
    /// Writes all bytes and blocks until the reader has accepted them.
    fn write_all(&self, bytes: &[u8]) -> io::Result<()>;

    /// The pipe behind the sink, if it is one.
    fn pipe(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Whether a write may block until a reader reads.
    fn may_wait(&self) -> bool {
        false
    }
}

/// An open file, pipe or terminal, written to without a buffer.
pub(crate) struct DescriptorSink {
    file: File,
    is_pipe: bool,
    may_wait: bool,
}

impl DescriptorSink {
    /// Creates a sink that writes to a duplicate of this descriptor.
    pub(crate) fn of(stream: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(stream.try_clone_to_owned()?.into())
    }
}

impl From<OwnedFd> for DescriptorSink {
    fn from(descriptor: OwnedFd) -> Self {
        let kind = fstat(&descriptor).map(|stat| FileType::from_raw_mode(stat.st_mode));
        // Writes to a regular file or `/dev/null` do not block; everything else has a reader.
        let may_wait = match kind {
            Ok(FileType::RegularFile) => false,
            Ok(FileType::CharacterDevice) => isatty(&descriptor),
            _ => true,
        };
        Self { file: File::from(descriptor), is_pipe: kind == Ok(FileType::Fifo), may_wait }
    }
}

impl ByteSink for DescriptorSink {
    fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match (&self.file).write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Another process that shares the file may have set it to non-blocking.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(self.file.as_fd())?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.is_pipe.then(|| self.file.as_fd())
    }

    fn may_wait(&self) -> bool {
        self.may_wait
    }
}

fn wait(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    match poll(&mut [PollFd::from_borrowed_fd(descriptor, PollFlags::OUT)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether two descriptors refer to the same file, pipe or terminal.
pub(crate) fn same_place(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
    let (Ok(one), Ok(other)) = (fstat(one), fstat(other)) else { return false };
    let is_device = |mode| FileType::from_raw_mode(mode) == FileType::CharacterDevice;
    if is_device(one.st_mode) && is_device(other.st_mode) {
        return one.st_rdev == other.st_rdev;
    }
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::thread;

    use super::*;

    #[test]
    fn a_slow_reader_of_a_pipe_that_does_not_wait_loses_nothing() {
        let (mut reader, writer) = io::pipe().expect("there are pipes");
        rustix::io::ioctl_fionbio(&writer, true).expect("a pipe need not wait");
        let sink = DescriptorSink::from(OwnedFd::from(writer));
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        let read = thread::scope(|scope| {
            let written = scope.spawn(|| {
                let sink = sink;
                sink.write_all(&bytes)
            });
            let mut read = Vec::new();
            reader.read_to_end(&mut read).expect("a pipe can be read");
            written.join().expect("the writer ends").expect("everything is written");
            read
        });
        assert!(read == bytes, "{} of {} bytes", read.len(), bytes.len());
    }

    #[test]
    fn a_shared_pipe_is_distinguished_from_two_pipes() {
        let (reader, writer) = io::pipe().expect("there are pipes");
        let (_, another) = io::pipe().expect("there are pipes");
        let copy = writer.try_clone().expect("a descriptor can be copied");
        assert!(same_place(writer.as_fd(), copy.as_fd()));
        assert!(!same_place(writer.as_fd(), another.as_fd()));
        drop(reader);
    }
}
