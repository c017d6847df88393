//! Fenced code blocks, and which markers in and around them count.

use super::block_tracker::BlockTracker;
use super::line_start::LineStart;
use super::scanned_line::ScannedLine;
use crate::event::MarkerMatch;

/// Tracks fenced blocks in two interpretations.
///
/// In Markdown a block ends with the first bare fence, but agents often put a block into another
/// one with the same fences. So blocks are assumed to be nested. If that leaves one open to the
/// end, a fence was only quoted or its end forgotten, and Markdown's interpretation applies from
/// there on.
#[derive(Debug, Clone)]
pub(super) struct FencedBlocks {
    nested: BlockTracker,
    /// Restarted with each block of the other interpretation.
    plain: BlockTracker,
    /// The first marker that is outside of blocks in the plain interpretation only.
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

    /// Takes the next line, and returns the marker if it is certain to count.
    pub(super) fn next_line(
        &mut self,
        line: ScannedLine<'_>,
        line_start: LineStart,
    ) -> Option<MarkerMatch> {
        let was_in_block = self.nested.is_in_block();
        let marker_match = self.nested.next_line(line, line_start);
        if self.nested.is_in_block() {
            let doubtful = self.plain.next_line(line, line_start);
            self.doubtful = self.doubtful.take().or(doubtful);
        } else if was_in_block {
            self.plain = BlockTracker::new(false);
            self.doubtful = None;
        }
        marker_match
    }

    /// Ends the output, and returns the marker that counts because of that.
    pub(super) fn finish(self) -> Option<MarkerMatch> {
        if self.nested.is_in_block() {
            self.doubtful.or_else(|| self.plain.finish())
        } else {
            self.nested.finish()
        }
    }
}
