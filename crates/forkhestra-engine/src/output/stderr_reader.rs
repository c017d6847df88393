//! Reads an agent's standard error.

use super::output_tail::OutputTail;
use crate::agent::{StderrOutput, StderrResult, StderrWatcher};

/// The size of the kept tail. An error message takes a few lines.
const KEPT: usize = 8 * 1024;

/// Reads standard error: keeps its tail and passes it to an optional watcher.
pub struct StderrReader {
    tail: OutputTail,
    watcher: Option<Box<StderrWatcher>>,
}

/// The result of reading standard error.
#[derive(Debug, Default, PartialEq)]
pub struct StderrSummary {
    /// The tail of the text.
    pub last_words: String,
    /// The findings of the watcher.
    pub result: StderrResult,
}

impl StderrReader {
    /// Creates a reader with an optional watcher.
    pub fn new(watcher: Option<StderrWatcher>) -> Self {
        Self { tail: OutputTail::new(KEPT), watcher: watcher.map(Box::new) }
    }

    /// Whether the bytes are displayed unchanged.
    pub(super) const fn is_passed_through(&self) -> bool {
        self.watcher.is_none()
    }

    /// Processes more bytes and reports what to display.
    pub(super) fn feed(&mut self, bytes: &[u8], tell: &mut dyn FnMut(StderrOutput<'_>)) {
        let tail = &mut self.tail;
        match &mut self.watcher {
            None => keep(tail, bytes, tell),
            Some(watcher) => watcher.feed(bytes, &mut |complaint| take(tail, complaint, tell)),
        }
    }

    /// Processes the end of the stream.
    pub(super) fn finish(self, tell: &mut dyn FnMut(StderrOutput<'_>)) -> StderrSummary {
        let Self { mut tail, watcher } = self;
        let watched = watcher
            .map(|watcher| watcher.finish(&mut |complaint| take(&mut tail, complaint, tell)));
        StderrSummary { last_words: tail.text(), result: watched.unwrap_or_default() }
    }
}

impl Default for StderrReader {
    fn default() -> Self {
        Self::new(None)
    }
}

/// Only displayed bytes go into the tail: recognised lines explain no failure.
fn take(
    tail: &mut OutputTail,
    complaint: StderrOutput<'_>,
    tell: &mut dyn FnMut(StderrOutput<'_>),
) {
    match complaint {
        StderrOutput::Bytes(bytes) => keep(tail, bytes, tell),
        notice @ StderrOutput::Notice(_) => tell(notice),
    }
}

fn keep(tail: &mut OutputTail, bytes: &[u8], tell: &mut dyn FnMut(StderrOutput<'_>)) {
    tail.keep(bytes);
    tell(StderrOutput::Bytes(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_last_is_kept() {
        let mut complaints = StderrReader::default();
        complaints.feed(b"no ", &mut |_| {});
        complaints.feed(b"way\n", &mut |_| {});
        assert_eq!(complaints.finish(&mut |_| {}).last_words, "no way\n");
    }
}
