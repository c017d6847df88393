//! What a single line can be.

use memchr::{memchr, memchr2};

/// The most that may stand in front of a fence, in columns, as in Markdown. But backticks may begin a
/// block anywhere: in a list they do, and to take an example for the real thing is worse than the
/// other way round.
const WIDEST_INDENT: usize = 3;

/// A line, as far as completion is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScannedLine<'a> {
    /// Nothing but white space.
    Blank,
    /// May begin or end a fenced block.
    Fence(CodeFence),
    /// This marker, by the text it is written as in a config.
    Marker(&'a str),
    /// Anything else.
    Text,
}

/// A line that starts with at least three backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeFence {
    character: u8,
    length: usize,
    /// Nothing stands behind it.
    is_bare: bool,
    /// It is far from the margin.
    is_deep: bool,
}

impl CodeFence {
    /// Reads a line without white space around it, and the white space in front of it.
    pub(super) fn read(indent: &[u8], line: &[u8]) -> Option<Self> {
        let character = *line.first()?;
        let is_deep = width(indent) > WIDEST_INDENT;
        if !is_fence(character) || (character == b'~' && is_deep) {
            return None;
        }
        let length = line.iter().take_while(|byte| **byte == character).count();
        let info = &line[length..];
        let foreign = match character {
            // As everywhere in Markdown: with more backticks behind it, it is code within a line.
            b'`' => memchr(b'`', info),
            // This is how compilers and tracebacks underline what is wrong.
            _ => memchr2(b'~', b'^', info),
        };
        (length >= 3 && foreign.is_none()).then_some(Self {
            character,
            length,
            is_bare: info.is_empty(),
            is_deep,
        })
    }

    /// Whether it ends a block which the other one has begun.
    pub(super) fn closes(self, opening: Self) -> bool {
        self.is_bare && self.is_like(opening)
    }

    /// Whether it begins a block inside the one which the other one has begun. A shorter one need
    /// not be known, since what closes it does not close the other.
    pub(super) fn nests_in(self, opening: Self) -> bool {
        !self.is_bare && self.is_like(opening)
    }

    fn is_like(self, opening: Self) -> bool {
        let is_near_enough = opening.is_deep || !self.is_deep;
        self.character == opening.character && self.length >= opening.length && is_near_enough
    }
}

/// How far white space moves a line to the right.
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

/// Whether a byte may stand around a marker.
pub(super) fn is_decoration(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'*' | b'_' | b'`')
}

/// Takes bytes away at both ends: what is left, with what stood before and behind it.
pub(super) fn peel(line: &[u8], is_outside: fn(u8) -> bool) -> (&[u8], &[u8], &[u8]) {
    let start = line.iter().position(|byte| !is_outside(*byte)).unwrap_or(line.len());
    let (before, rest) = line.split_at(start);
    let end = rest.iter().rposition(|byte| !is_outside(*byte)).map_or(0, |last| last + 1);
    let (core, after) = rest.split_at(end);
    (before, core, after)
}
