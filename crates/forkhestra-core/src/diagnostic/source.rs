//! A source text and positions in it.

use std::ops::Range;

/// A text to point into, with its name in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// The file as the user knows it; none for text from the command line.
    pub name: Option<String>,
    /// The whole text, without a byte order mark.
    pub text: String,
    /// Offsets of all lines, so that a lookup does not scan the whole text.
    line_starts: Vec<usize>,
    /// The number of characters before each block, so that a lookup in a very long line does not scan the line.
    characters_before: Vec<usize>,
}

/// The length of a block in bytes.
const BLOCK_BYTES: usize = 1024;

impl SourceText {
    /// Wraps text that was typed on the command line.
    pub fn command_line(text: impl Into<String>) -> Self {
        Self::new(None, text.into())
    }

    /// Wraps the text of a file.
    pub fn file(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Some(name.into()), text.into())
    }

    fn new(name: Option<String>, text: String) -> Self {
        let after_newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        let line_starts = [0].into_iter().chain(after_newlines).collect();
        let mut characters = 0;
        let blocks = text.as_bytes().chunks(BLOCK_BYTES);
        let characters_before = blocks.map(|block| {
            let before = characters;
            characters += characters_in(block);
            before
        });
        let characters_before = characters_before.collect();
        Self { name, text, line_starts, characters_before }
    }

    /// The line and column of a byte offset, both one-based, columns in characters.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.line_of(offset);
        let start = self.line_starts[line - 1];
        (line, self.characters_before(offset) - self.characters_before(start) + 1)
    }

    /// The number of characters before an offset.
    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK_BYTES;
        let start = block * BLOCK_BYTES;
        let in_block = characters_in(&self.text.as_bytes()[start.min(self.text.len())..offset]);
        match self.characters_before.get(block) {
            Some(before) => before + in_block,
            // The end of a text that fills its last block.
            None => characters_in(self.text.as_bytes()),
        }
    }

    /// The whole lines that hold a span, and the one-based number of the first.
    pub fn lines_around(&self, span: Span) -> (usize, Span) {
        let (first, last) = (self.line_of(span.start), self.line_of(span.end));
        let end = self.line_starts.get(last).copied().unwrap_or(self.text.len());
        (first, Span::new(self.line_starts[first - 1], end))
    }

    /// The one-based number of the line that holds an offset.
    fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }
}

/// The number of characters that begin in these bytes of a text.
fn characters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)).count()
}

/// A range of bytes in a [`SourceText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span over `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The span as a range, to slice the text with.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A value with its position in the source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Combines a value and its position.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let source = SourceText::command_line("ab\nçd\n");
        assert_eq!(source.line_and_column(0), (1, 1));
        assert_eq!(source.line_and_column(2), (1, 3));
        assert_eq!(source.line_and_column(3), (2, 1));
        assert_eq!(source.line_and_column(5), (2, 2));
        assert_eq!(source.line_and_column(7), (3, 1));
    }

    #[test]
    fn columns_in_a_long_line_are_those_of_a_count() {
        let line = "aß→🙂".repeat(1000);
        let text = format!("first\n{line}\n{line}");
        let source = SourceText::command_line(text.as_str());
        let mut expected = (1, 1);
        for (offset, character) in text.char_indices().chain([(text.len(), 'x')]) {
            assert_eq!(source.line_and_column(offset), expected, "{offset}");
            expected =
                if character == '\n' { (expected.0 + 1, 1) } else { (expected.0, expected.1 + 1) };
        }
        let block = "x".repeat(BLOCK_BYTES);
        assert_eq!(
            SourceText::command_line(block).line_and_column(BLOCK_BYTES),
            (1, BLOCK_BYTES + 1)
        );
    }

    #[test]
    fn whole_lines_are_found_around_a_span() {
        let source = SourceText::command_line("one\ntwo\nthree");
        let around = |start, end| {
            let (line, span) = source.lines_around(Span::new(start, end));
            (line, &source.text[span.range()])
        };
        assert_eq!(around(0, 1), (1, "one\n"));
        assert_eq!(around(5, 6), (2, "two\n"));
        assert_eq!(around(2, 5), (1, "one\ntwo\n"));
        assert_eq!(around(13, 13), (3, "three"));
        assert_eq!(
            SourceText::command_line("").lines_around(Span::new(0, 0)),
            (1, Span::new(0, 0))
        );
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(SourceText::command_line("a").line_and_column(9), (1, 2));
    }
}
