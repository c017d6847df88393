//! Reads an agent's standard error.

use super::output_tail::OutputTail;
use crate::agent::{StderrOutput, StderrResult, StderrWatcher};

/// The size of the kept tail. An error message takes a few lines.
const MAX_TAIL_BYTES: usize = 8 * 1024;

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
        Self { tail: OutputTail::new(MAX_TAIL_BYTES), watcher: watcher.map(Box::new) }
    }

    /// Processes more bytes and reports what to display.
    pub(super) fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StderrOutput<'_>)) {
        let tail = &mut self.tail;
        match &mut self.watcher {
            None => keep(tail, bytes, sink),
            Some(watcher) => watcher.feed(bytes, &mut |output| pass_on(tail, output, sink)),
        }
    }

    /// Processes the end of the stream.
    pub(super) fn finish(self, sink: &mut dyn FnMut(StderrOutput<'_>)) -> StderrSummary {
        let Self { mut tail, watcher } = self;
        let watched =
            watcher.map(|watcher| watcher.finish(&mut |output| pass_on(&mut tail, output, sink)));
        StderrSummary { last_words: tail.text(), result: watched.unwrap_or_default() }
    }
}

impl Default for StderrReader {
    fn default() -> Self {
        Self::new(None)
    }
}

/// Only displayed bytes go into the tail: recognised lines explain no failure.
fn pass_on(
    tail: &mut OutputTail,
    output: StderrOutput<'_>,
    sink: &mut dyn FnMut(StderrOutput<'_>),
) {
    match output {
        StderrOutput::Bytes(bytes) => keep(tail, bytes, sink),
        notice @ StderrOutput::Notice(_) => sink(notice),
    }
}

fn keep(tail: &mut OutputTail, bytes: &[u8], sink: &mut dyn FnMut(StderrOutput<'_>)) {
    tail.keep(bytes);
    sink(StderrOutput::Bytes(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_stderr_lines_are_kept() {
        let mut stderr_reader = StderrReader::default();
        stderr_reader.feed(b"no ", &mut |_| {});
        stderr_reader.feed(b"way\n", &mut |_| {});
        assert_eq!(stderr_reader.finish(&mut |_| {}).last_words, "no way\n");
    }
}
