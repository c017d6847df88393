//! Text that a person wrote, and places in it.

use std::ops::Range;

/// A text to point into, and what messages call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file as the user knows it; none for text from the command line.
    pub name: Option<String>,
    /// The whole text, without a byte order mark.
    pub text: String,
}

impl Source {
    /// Wraps text that was typed on the command line.
    pub fn command_line(text: impl Into<String>) -> Self {
        Self { name: None, text: text.into() }
    }

    /// Wraps the text of a file.
    pub fn file(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: Some(name.into()), text: text.into() }
    }

    /// Gives the line and column of a byte offset, both counted from one, columns in characters.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
}

/// A range of bytes in a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span over `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The span as a range, to slice the text with.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A value together with the place it was written at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// What was written.
    pub value: T,
    /// Where it was written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Puts a value and its place together.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let source = Source::command_line("ab\nçd\n");
        assert_eq!(source.line_and_column(0), (1, 1));
        assert_eq!(source.line_and_column(2), (1, 3));
        assert_eq!(source.line_and_column(3), (2, 1));
        assert_eq!(source.line_and_column(5), (2, 2));
        assert_eq!(source.line_and_column(7), (3, 1));
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(Source::command_line("a").line_and_column(9), (1, 2));
    }
}
