//! An output stream of an agent or aux job that has no output yet.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use forkhestra_core::event::output_stream::OutputStream;

use crate::output::{PumpJob, PumpJobEnd};

/// An output stream without output so far. The loop polls it itself, so that no pump is woken for
/// an agent that never prints.
///
/// For the same reason it holds the writing end of the pipe: otherwise the end of a silent agent
/// would wake the loop three times, although its exit is all that matters.
pub(crate) struct SilentStream {
    pub(crate) stream: OutputStream,
    job: PumpJob,
    _writer: OwnedFd,
}

impl SilentStream {
    pub(crate) const fn new(stream: OutputStream, job: PumpJob, writer: OwnedFd) -> Self {
        Self { stream, job, _writer: writer }
    }

    /// The pump job, for a stream that has output now.
    pub(crate) fn into_job(self) -> PumpJob {
        self.job
    }

    /// The end of a stream that was closed without output, or else the pump job.
    pub(crate) fn end(self) -> Result<PumpJobEnd, (OutputStream, PumpJob)> {
        let stream = self.stream;
        self.into_job().end_if_silent(stream).map_err(|job| (stream, job))
    }
}

/// Becomes readable with the first bytes.
impl AsFd for SilentStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.job.fd.as_fd()
    }
}
