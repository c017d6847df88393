//! The reading end of an agent's pipe.

use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{Errno, ioctl_fionread};

use forkhestra_core::event::output_stream::OutputStream;

use super::abandoned_outputs::AbandonedOutputs;
use super::platform::{set_pipe_size, splice};
use super::{EndOfOutput, OutputOwner, OutputSink};

/// A read of this size counts as bulk output, for which copies are avoided.
const BULK_BYTES: usize = 16 * 1024;

/// The size of a pipe for bulk output: large for few context switches, small enough for the cache.
const BULK_PIPE_SIZE: usize = 256 * 1024;

/// The size of a pipe whose writer may drop output. It is the limit of Linux for ordinary users.
const MAX_PIPE_SIZE: usize = 1024 * 1024;

/// The result of a read.
#[derive(Debug, Clone, Copy)]
pub(super) struct PipeRead {
    pub(super) length: usize,
    /// Whether the bytes are already in the sink's pipe.
    pub(super) is_shared: bool,
}

/// Reads available bytes, waits for more, and stops waiting when the job is abandoned.
pub(super) struct PipeSource<'a> {
    owner: OutputOwner,
    fd: OwnedFd,
    abandon: &'a AbandonedOutputs,
    /// The bytes still to be read after the job was abandoned. It bounds the work for an agent that
    /// never stops printing.
    rest: Option<u64>,
    /// Whether the last read was bulk output.
    is_bulk: bool,
    /// Whether our pipe was enlarged, and the sink's.
    is_enlarged: bool,
    is_sink_enlarged: bool,
}

impl<'a> PipeSource<'a> {
    /// Fails if the file cannot be made non-blocking.
    pub(super) fn new(
        owner: OutputOwner,
        fd: OwnedFd,
        abandon: &'a AbandonedOutputs,
    ) -> Result<Self, Errno> {
        // The source waits with `poll`, which can wait for two files at once.
        fcntl_setfl(&fd, OFlags::NONBLOCK)?;
        Ok(Self {
            owner,
            fd,
            abandon,
            rest: None,
            is_bulk: false,
            is_enlarged: false,
            is_sink_enlarged: false,
        })
    }

    /// Enlarges the pipe as far as possible. A program on Node.js that exits drops the output that
    /// does not fit into its pipe, and with it the result of its work.
    pub(super) fn enlarge(&mut self) {
        set_pipe_size(&self.fd, MAX_PIPE_SIZE);
        self.is_enlarged = true;
    }

    /// Waits for bytes. Returns at least one, or the end. If the sink is a pipe, the bytes may
    /// already be in it.
    pub(super) fn read(
        &mut self,
        buffer: &mut [u8],
        sink: Option<(&dyn OutputSink, OutputStream)>,
    ) -> Result<PipeRead, EndOfOutput> {
        loop {
            let limit = self.read_limit(buffer.len())?;
            if let Some((sink, stream)) = sink.filter(|_| self.is_bulk) {
                let length =
                    self.tee_into_sink(&mut buffer[..limit], sink, stream).map_err(failed)?;
                if length > 0 {
                    return Ok(self.arrived(PipeRead { length, is_shared: true }));
                }
            }
            match rustix::io::read(&self.fd, &mut buffer[..limit]) {
                Ok(0) => return Err(EndOfOutput::Closed),
                Ok(length) => return Ok(self.arrived(PipeRead { length, is_shared: false })),
                Err(Errno::AGAIN) if self.rest.is_some() => return Err(EndOfOutput::Abandoned),
                Err(Errno::AGAIN) => self.wait().map_err(failed)?,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed(errno)),
            }
        }
    }

    /// Reads bytes and duplicates them into the sink's pipe, as many as fit without blocking.
    fn tee_into_sink(
        &mut self,
        buffer: &mut [u8],
        sink: &dyn OutputSink,
        stream: OutputStream,
    ) -> Result<usize, Errno> {
        let mut result = Ok(0);
        sink.lend_pipe(stream, &mut |pipe| {
            if !std::mem::replace(&mut self.is_sink_enlarged, true) {
                set_pipe_size(pipe, BULK_PIPE_SIZE);
            }
            let length = splice(&self.fd, pipe, buffer.len());
            let buffer = &mut buffer[..length];
            result = fill(&self.fd, buffer).map(|()| buffer.len());
            buffer.last().copied()
        });
        result
    }

    fn arrived(&mut self, arrival: PipeRead) -> PipeRead {
        self.rest = self.rest.map(|rest| rest - arrival.length as u64);
        self.is_bulk = arrival.length >= BULK_BYTES;
        if self.is_bulk && !std::mem::replace(&mut self.is_enlarged, true) {
            set_pipe_size(&self.fd, BULK_PIPE_SIZE);
        }
        arrival
    }

    /// How much may be read into a buffer of this length.
    fn read_limit(&mut self, buffer: usize) -> Result<usize, EndOfOutput> {
        if self.rest.is_none() && self.abandon.is_requested(self.owner) {
            self.rest = Some(ioctl_fionread(&self.fd).map_err(failed)?);
        }
        match self.rest {
            None => Ok(buffer),
            Some(0) => Err(EndOfOutput::Abandoned),
            Some(rest) => Ok(usize::try_from(rest).map_or(buffer, |rest| rest.min(buffer))),
        }
    }

    /// Waits until there is something to read or the job is abandoned.
    fn wait(&self) -> Result<(), Errno> {
        let mut files =
            [PollFd::new(&self.fd, PollFlags::IN), PollFd::new(self.abandon.wake(), PollFlags::IN)];
        match poll(&mut files, None) {
            Ok(_) if files[1].revents().is_empty() => Ok(()),
            Ok(_) => self.abandon.clear_wake(),
            Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno),
        }
    }
}

/// Reads bytes that are known to be available.
fn fill(fd: impl AsFd, mut buffer: &mut [u8]) -> Result<(), Errno> {
    while !buffer.is_empty() {
        match rustix::io::read(&fd, &mut *buffer) {
            Ok(0) => return Err(Errno::IO),
            Ok(length) => buffer = &mut buffer[length..],
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

fn failed(errno: Errno) -> EndOfOutput {
    EndOfOutput::Failed(errno.into())
}
