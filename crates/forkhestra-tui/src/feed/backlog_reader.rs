//! Reading again what was forgotten.

use std::collections::VecDeque;

use super::output_follower::{PAGE, PORTION, StreamPair};
use crate::output::OutputLine;
use crate::run_source::OutputFeed;

/// Reads an output again, up to the first lines of either stream that somebody has. Nobody knows how
/// the streams were mixed, so those of standard error come after those of standard output.
pub(super) struct BacklogReader {
    feed: Option<Box<dyn OutputFeed>>,
    streams: StreamPair,
    /// How many lines of either stream are still to come.
    left: [u64; 2],
    out: VecDeque<OutputLine>,
    err: VecDeque<OutputLine>,
}

impl BacklogReader {
    /// So many lines of either stream come before those that somebody has.
    pub(super) fn new(before: [u64; 2], keeps_colors: bool) -> Self {
        Self {
            feed: None,
            streams: StreamPair::new(keeps_colors),
            left: before,
            out: VecDeque::new(),
            err: VecDeque::new(),
        }
    }

    /// Goes on, and gives the last ones of these lines once all of them have been read.
    pub(super) fn poll(
        &mut self,
        open: impl FnOnce() -> Result<Box<dyn OutputFeed>, String>,
    ) -> Result<Option<Vec<OutputLine>>, String> {
        let feed = match &mut self.feed {
            Some(feed) => feed,
            closed => closed.insert(open()?),
        };
        let portion = feed.read(PORTION)?;
        for line in self.streams.feed(portion.chunks) {
            let left = &mut self.left[usize::from(line.is_error)];
            if *left == 0 {
                continue;
            }
            *left -= 1;
            let lines = if line.is_error { &mut self.err } else { &mut self.out };
            if lines.len() == PAGE {
                lines.pop_front();
            }
            lines.push_back(line);
        }
        if portion.has_more && self.left != [0, 0] {
            return Ok(None);
        }
        let mut lines = std::mem::take(&mut self.out);
        lines.append(&mut self.err);
        let surplus = lines.len().saturating_sub(PAGE);
        Ok(Some(lines.into_iter().skip(surplus).collect()))
    }
}
