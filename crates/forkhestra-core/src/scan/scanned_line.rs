//! The classification of a single line.

use memchr::{memchr, memchr2};

/// The maximum indent of a fence, in columns, as in Markdown. Backticks may begin a block at any
/// indent: they do in a list, and taking an example for a real marker is worse than the opposite.
const MAX_INDENT: usize = 3;

/// A line, as far as completion is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScannedLine<'a> {
    Blank,
    Fence(CodeFence),
    /// The marker as configured.
    Marker(&'a str),
    Text,
}

/// A line that starts with at least three backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeFence {
    character: u8,
    length: usize,
    /// Nothing follows it.
    is_bare: bool,
    /// It is indented by more than [`MAX_INDENT`].
    is_deep: bool,
}

impl CodeFence {
    /// Parses a trimmed line with its indent.
    pub(super) fn read(indent: &[u8], line: &[u8]) -> Option<Self> {
        let character = *line.first()?;
        let is_deep = width(indent) > MAX_INDENT;
        if !is_fence(character) || (character == b'~' && is_deep) {
            return None;
        }
        let length = line.iter().take_while(|byte| **byte == character).count();
        let info = &line[length..];
        let foreign = match character {
            // In Markdown, further backticks make it inline code.
            b'`' => memchr(b'`', info),
            // Compilers and tracebacks underline errors this way.
            _ => memchr2(b'~', b'^', info),
        };
        (length >= 3 && foreign.is_none()).then_some(Self {
            character,
            length,
            is_bare: info.is_empty(),
            is_deep,
        })
    }

    /// Whether it closes a block that `opening` began.
    pub(super) fn closes(self, opening: Self) -> bool {
        self.is_bare && self.is_like(opening)
    }

    /// Whether it begins a block inside the one that `opening` began. A shorter fence is ignored,
    /// since its end does not close the outer block.
    pub(super) fn nests_in(self, opening: Self) -> bool {
        !self.is_bare && self.is_like(opening)
    }

    fn is_like(self, opening: Self) -> bool {
        let is_near_enough = opening.is_deep || !self.is_deep;
        self.character == opening.character && self.length >= opening.length && is_near_enough
    }
}

/// The width of white space in columns.
fn width(indent: &[u8]) -> usize {
    let columns = |byte: &u8| match byte {
        b' ' => 1,
        b'\t' => 4,
        _ => 0,
    };
    indent.iter().map(columns).sum()
}

pub(super) fn is_fence(byte: u8) -> bool {
    matches!(byte, b'`' | b'~')
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c')
}

/// Whether a byte may surround a marker.
pub(super) fn is_decoration(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'*' | b'_' | b'`')
}

/// Strips bytes at both ends; returns the prefix, the rest and the suffix.
pub(super) fn strip_both_ends(line: &[u8], is_outside: fn(u8) -> bool) -> (&[u8], &[u8], &[u8]) {
    let start = line.iter().position(|byte| !is_outside(*byte)).unwrap_or(line.len());
    let (before, rest) = line.split_at(start);
    let end = rest.iter().rposition(|byte| !is_outside(*byte)).map_or(0, |last| last + 1);
    let (core, after) = rest.split_at(end);
    (before, core, after)
}
