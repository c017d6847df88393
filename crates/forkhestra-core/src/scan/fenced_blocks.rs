//! Fenced code blocks, and what markers in and around them mean.

use super::block_tracker::BlockTracker;
use super::line_start::LineStart;
use super::scanned_line::ScannedLine;
use crate::event::MarkerMatch;

/// Follows the lines of an output, in two readings.
///
/// In Markdown a block ends with the first bare fence, but agents often put a block into another one
/// that has the same fences. So blocks are taken to be nested. If that leaves one open to the end,
/// a fence was only quoted or its end forgotten, and from there on Markdown's reading holds.
#[derive(Debug, Clone)]
pub(super) struct FencedBlocks {
    nested: BlockTracker,
    /// Begins anew with each block of the other reading.
    plain: BlockTracker,
    /// The first marker that is outside of blocks in the plain reading only.
    doubtful: Option<MarkerMatch>,
}

impl FencedBlocks {
    pub(super) const fn new() -> Self {
        Self { nested: BlockTracker::new(true), plain: BlockTracker::new(false), doubtful: None }
    }

    /// Whether lines of text would change nothing.
    pub(super) const fn pass_over_text(&self) -> bool {
        self.nested.passes_over_text() && self.plain.passes_over_text()
    }

    /// Takes the next line, and gives the marker if it is certain now that it counts.
    pub(super) fn see(&mut self, line: ScannedLine<'_>, place: LineStart) -> Option<MarkerMatch> {
        let was_in_block = self.nested.is_in_block();
        let sighting = self.nested.see(line, place);
        if self.nested.is_in_block() {
            let doubtful = self.plain.see(line, place);
            self.doubtful = self.doubtful.take().or(doubtful);
        } else if was_in_block {
            self.plain = BlockTracker::new(false);
            self.doubtful = None;
        }
        sighting
    }

    /// The output is over: gives the marker that counts because of that.
    pub(super) fn finish(self) -> Option<MarkerMatch> {
        if self.nested.is_in_block() {
            self.doubtful.or_else(|| self.plain.finish())
        } else {
            self.nested.finish()
        }
    }
}
