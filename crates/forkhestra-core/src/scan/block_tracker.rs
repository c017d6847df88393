//! One interpretation of where fenced blocks begin and end.

use super::line_start::LineStart;
use super::scanned_line::{CodeFence, ScannedLine};
use crate::event::MarkerMatch;

/// Tracks fenced blocks line by line.
#[derive(Debug, Clone)]
pub(super) struct BlockTracker {
    /// Whether a block may be inside another one with the same fences.
    nests: bool,
    open: Option<OpenBlock>,
    /// The only line of a finished block: it counts if nothing follows.
    last: Option<MarkerMatch>,
}

#[derive(Debug, Clone)]
struct OpenBlock {
    fence: CodeFence,
    /// The number of blocks open inside it.
    inner: u32,
    content: BlockContent,
}

/// The content of a block besides blank lines.
#[derive(Debug, Clone)]
enum BlockContent {
    Nothing,
    OnlyMarker(MarkerMatch),
    Other,
}

impl BlockTracker {
    pub(super) const fn new(nests: bool) -> Self {
        Self { nests, open: None, last: None }
    }

    pub(super) const fn is_in_block(&self) -> bool {
        self.open.is_some()
    }

    /// Whether lines of text would change nothing.
    pub(super) const fn passes_over_text(&self) -> bool {
        match &self.open {
            Some(block) => matches!(block.content, BlockContent::Other),
            None => self.last.is_none(),
        }
    }

    /// Takes the next line, and returns the marker if it is outside of blocks.
    pub(super) fn next_line(
        &mut self,
        line: ScannedLine<'_>,
        line_start: LineStart,
    ) -> Option<MarkerMatch> {
        if line == ScannedLine::Blank {
            return None;
        }
        let Some(block) = &mut self.open else {
            self.last = None;
            match line {
                ScannedLine::Marker(name) => return Some(line_start.marker_match(name)),
                ScannedLine::Fence(fence) => {
                    self.open = Some(OpenBlock { fence, inner: 0, content: BlockContent::Nothing });
                }
                ScannedLine::Text | ScannedLine::Blank => {}
            }
            return None;
        };
        match line {
            ScannedLine::Fence(fence) if fence.closes(block.fence) => {
                match block.inner.checked_sub(1) {
                    Some(others) => block.inner = others,
                    None => self.last = self.open.take().and_then(OpenBlock::only_marker),
                }
            }
            ScannedLine::Marker(name) if matches!(block.content, BlockContent::Nothing) => {
                block.content = BlockContent::OnlyMarker(line_start.marker_match(name));
            }
            ScannedLine::Fence(fence) if self.nests && fence.nests_in(block.fence) => {
                block.inner = block.inner.saturating_add(1);
                block.content = BlockContent::Other;
            }
            _ => block.content = BlockContent::Other,
        }
        None
    }

    /// Ends the output, and returns the marker that counts because of that.
    pub(super) fn finish(self) -> Option<MarkerMatch> {
        self.open.map_or(self.last, OpenBlock::only_marker)
    }
}

impl OpenBlock {
    fn only_marker(self) -> Option<MarkerMatch> {
        match self.content {
            BlockContent::OnlyMarker(marker_match) => Some(marker_match),
            BlockContent::Nothing | BlockContent::Other => None,
        }
    }
}
