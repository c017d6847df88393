//! The lines of a text, and the meaning of each in its context.

use std::ops::Range;

use super::BodySection;
use super::block_ends::BlockEnds;
use super::line_form::{self, BodyLineForm, form};

/// The meaning of a line in its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, or something that opens and is never closed.
    Text,
    /// The line that opens fenced code or a comment.
    Opener,
    /// A line in fenced code or a comment, including the closing line.
    Inside,
    /// A heading of the second level, and the section it is for if that has a meaning.
    Heading(Option<BodySection>),
    /// Begins a block of criteria.
    Begin,
    /// Ends a block of criteria.
    End,
}

/// The lines of a text.
#[derive(Debug)]
pub(super) struct BodyLines<'a> {
    text: &'a str,
    lines: Vec<BodyLine>,
}

/// The position of a line, and its meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLine {
    /// Where it begins.
    pub(super) start: usize,
    /// Where its content ends: before the newline, and before the carriage returns in front of it.
    pub(super) end: usize,
    /// Where the next one begins.
    pub(super) next: usize,
    pub(super) kind: Kind,
}

impl<'a> BodyLines<'a> {
    /// Splits a text, and classifies its lines.
    pub(super) fn of(text: &'a str) -> Self {
        let mut lines = Self { text, lines: split(text) };
        let closers = BlockEnds::among(
            (0..lines.len()).map(|at| (lines.content(at), form(lines.content(at)))),
        );
        let mut at = 0;
        while at < lines.len() {
            let (kind, last) = kind(form(lines.content(at)), at, &closers);
            lines.lines[at].kind = kind;
            for inside in &mut lines.lines[at + 1..=last] {
                inside.kind = Kind::Inside;
            }
            at = last + 1;
        }
        lines
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn line(&self, at: usize) -> BodyLine {
        self.lines[at]
    }

    pub(super) fn kind(&self, at: usize) -> Kind {
        self.lines[at].kind
    }

    /// A line without its line break.
    pub(super) fn content(&self, at: usize) -> &'a str {
        &self.text[self.lines[at].start..self.lines[at].end]
    }

    pub(super) fn is_blank(&self, at: usize) -> bool {
        line_form::is_blank(self.content(at))
    }

    /// Whether a newline ends the line. Only the last line may lack one.
    pub(super) fn is_terminated(&self, at: usize) -> bool {
        self.text[..self.lines[at].next].ends_with('\n')
    }

    /// The offset of a line; the end of the text for the line after the last.
    pub(super) fn start(&self, at: usize) -> usize {
        self.lines.get(at).map_or(self.text.len(), |line| line.start)
    }

    /// Some lines without the blank ones at both ends.
    pub(super) fn trimmed(&self, mut range: Range<usize>) -> Range<usize> {
        while !range.is_empty() && self.is_blank(range.start) {
            range.start += 1;
        }
        while !range.is_empty() && self.is_blank(range.end - 1) {
            range.end -= 1;
        }
        range
    }
}

/// The kind of a line, and the last line of what it opens.
fn kind(form: BodyLineForm<'_>, at: usize, closers: &BlockEnds) -> (Kind, usize) {
    let opened = match form {
        BodyLineForm::Heading(title) => {
            return (Kind::Heading(BodySection::with_heading(title)), at);
        }
        BodyLineForm::Begin => return (Kind::Begin, at),
        BodyLineForm::End => return (Kind::End, at),
        BodyLineForm::Other => None,
        BodyLineForm::Fence(fence) => closers.of_fence(fence, at),
        BodyLineForm::Comment { closed: true } => Some(at),
        BodyLineForm::Comment { closed: false } => closers.of_comment(at),
    };
    opened.map_or((Kind::Text, at), |last| (Kind::Opener, last))
}

fn split(text: &str) -> Vec<BodyLine> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let next = start + line.len();
            let content = line.strip_suffix('\n').unwrap_or(line).trim_end_matches('\r');
            let line = BodyLine { start, end: start + content.len(), next, kind: Kind::Text };
            start = next;
            line
        })
        .collect()
}
