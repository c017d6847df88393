//! One way to read where fenced blocks begin and end.

use super::line::{Fence, Line};
use super::place::Place;
use crate::event::Sighting;

/// Follows the lines of an output.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// Whether a block may stand in another one that has the same fences.
    nests: bool,
    open: Option<Block>,
    /// The only line of a block that is over: it counts if nothing comes any more.
    last: Option<Sighting>,
}

#[derive(Debug, Clone)]
struct Block {
    fence: Fence,
    /// How many blocks are open inside it.
    inner: u32,
    content: Content,
}

/// What a block holds besides blank lines.
#[derive(Debug, Clone)]
enum Content {
    Nothing,
    OnlyMarker(Sighting),
    Other,
}

impl Reading {
    pub(super) const fn new(nests: bool) -> Self {
        Self { nests, open: None, last: None }
    }

    pub(super) const fn is_in_block(&self) -> bool {
        self.open.is_some()
    }

    /// Whether lines of text would change nothing.
    pub(super) const fn passes_over_text(&self) -> bool {
        match &self.open {
            Some(block) => matches!(block.content, Content::Other),
            None => self.last.is_none(),
        }
    }

    /// Takes the next line, and gives the marker if it is outside of blocks.
    pub(super) fn see(&mut self, line: Line<'_>, place: Place) -> Option<Sighting> {
        if line == Line::Blank {
            return None;
        }
        let Some(block) = &mut self.open else {
            self.last = None;
            match line {
                Line::Marker(name) => return Some(place.sighting(name)),
                Line::Fence(fence) => {
                    self.open = Some(Block { fence, inner: 0, content: Content::Nothing });
                }
                Line::Text | Line::Blank => {}
            }
            return None;
        };
        match line {
            Line::Fence(fence) if fence.closes(block.fence) => match block.inner.checked_sub(1) {
                Some(others) => block.inner = others,
                None => self.last = self.open.take().and_then(Block::only_marker),
            },
            Line::Marker(name) if matches!(block.content, Content::Nothing) => {
                block.content = Content::OnlyMarker(place.sighting(name));
            }
            Line::Fence(fence) if self.nests && fence.nests_in(block.fence) => {
                block.inner = block.inner.saturating_add(1);
                block.content = Content::Other;
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
