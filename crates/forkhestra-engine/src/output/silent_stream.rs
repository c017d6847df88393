//! A stream of an agent or errand that has printed nothing there yet.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use forkhestra_core::event::output_stream::OutputStream;

use crate::output::{PumpJob, PumpJobEnd};

/// A stream to which nothing has been printed yet. The loop waits for its first bytes itself,
/// so that no pump is woken for an agent that never prints any.
///
/// For the same reason we hold the writing end of the pipe, too: else the end of a silent agent
/// would be three things to wake up for, when its process is all there is to know about.
pub(crate) struct SilentStream {
    pub(crate) stream: OutputStream,
    job: PumpJob,
    _writer: OwnedFd,
}

impl SilentStream {
    pub(crate) const fn new(stream: OutputStream, job: PumpJob, writer: OwnedFd) -> Self {
        Self { stream, job, _writer: writer }
    }

    /// What a pump has to do, now that there is something.
    pub(crate) fn into_job(self) -> PumpJob {
        self.job
    }

    /// What is known of a stream that was closed without a word; or else what a pump has to do.
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
