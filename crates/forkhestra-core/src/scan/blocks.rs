//! Fenced code blocks, and what markers in and around them mean.

use super::line::{Fence, Line};
use super::place::Place;
use crate::event::Sighting;

/// Follows the lines of an output.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    open: Option<Block>,
    /// The only line of a block that is over: it counts if nothing comes any more.
    last: Option<Sighting>,
}

#[derive(Debug, Clone)]
struct Block {
    fence: Fence,
    content: Content,
}

/// What a block holds besides blank lines.
#[derive(Debug, Clone)]
enum Content {
    Nothing,
    OnlyMarker(Sighting),
    Other,
}

impl Blocks {
    /// Whether lines of text would change nothing.
    pub(super) const fn pass_over_text(&self) -> bool {
        match &self.open {
            Some(block) => matches!(block.content, Content::Other),
            None => self.last.is_none(),
        }
    }

    /// Takes the next line, and gives the marker if it is certain now that it counts.
    pub(super) fn see(&mut self, line: Line<'_>, place: Place) -> Option<Sighting> {
        if line == Line::Blank {
            return None;
        }
        let Some(block) = &mut self.open else {
            self.last = None;
            match line {
                Line::Marker(name) => return Some(place.sighting(name)),
                Line::Fence(fence) => {
                    self.open = Some(Block { fence, content: Content::Nothing });
                }
                Line::Text | Line::Blank => {}
            }
            return None;
        };
        match line {
            Line::Fence(fence) if fence.closes(block.fence) => {
                self.last = self.open.take().and_then(Block::only_marker);
            }
            Line::Marker(name) if matches!(block.content, Content::Nothing) => {
                block.content = Content::OnlyMarker(place.sighting(name));
            }
            _ => block.content = Content::Other,
        }
        None
    }

    /// The output is over: gives the marker that counts because of that.
    pub(super) fn finish(self) -> Option<Sighting> {
        self.open.map_or(self.last, Block::only_marker)
    }
}

impl Block {
    fn only_marker(self) -> Option<Sighting> {
        match self.content {
            Content::OnlyMarker(sighting) => Some(sighting),
            Content::Nothing | Content::Other => None,
        }
    }
}
