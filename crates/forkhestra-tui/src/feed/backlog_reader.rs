//! Rereads earlier lines of an output.

use std::collections::VecDeque;

use super::output_follower::{PAGE_LINES, PORTION_BYTES, StreamPair};
use crate::output::OutputLine;
use crate::run_source::OutputFeed;

/// Rereads an output up to the first lines of each stream that the buffer still holds. The order
/// between the streams is not recorded, so standard error follows standard output.
pub(super) struct BacklogReader {
    feed: Option<Box<dyn OutputFeed>>,
    streams: StreamPair,
    /// Lines of each stream still to read.
    left: [u64; 2],
    out: VecDeque<OutputLine>,
    err: VecDeque<OutputLine>,
}

impl BacklogReader {
    /// Creates a reader for the `before` lines of each stream that precede the buffer.
    pub(super) fn new(before: [u64; 2], keeps_colors: bool) -> Self {
        Self {
            feed: None,
            streams: StreamPair::new(keeps_colors),
            left: before,
            out: VecDeque::new(),
            err: VecDeque::new(),
        }
    }

    /// Continues reading and returns the last page of these lines once all have been read.
    pub(super) fn poll(
        &mut self,
        open: impl FnOnce() -> Result<Box<dyn OutputFeed>, String>,
    ) -> Result<Option<Vec<OutputLine>>, String> {
        let feed = match &mut self.feed {
            Some(feed) => feed,
            closed => closed.insert(open()?),
        };
        let portion = feed.read(PORTION_BYTES)?;
        for line in self.streams.feed(portion.chunks) {
            let left = &mut self.left[usize::from(line.is_error)];
            if *left == 0 {
                continue;
            }
            *left -= 1;
            let lines = if line.is_error { &mut self.err } else { &mut self.out };
            if lines.len() == PAGE_LINES {
                lines.pop_front();
            }
            lines.push_back(line);
        }
        if portion.has_more && self.left != [0, 0] {
            return Ok(None);
        }
        let mut lines = std::mem::take(&mut self.out);
        lines.append(&mut self.err);
        let excess = lines.len().saturating_sub(PAGE_LINES);
        Ok(Some(lines.into_iter().skip(excess).collect()))
    }
}
