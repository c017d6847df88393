//! All markers together, and the classification of lines.

use super::marker_pattern::{MarkerLiteral, MarkerPattern};
use super::scanned_line::{
    CodeFence, ScannedLine, is_decoration, is_fence, is_space, strip_both_ends,
};
use super::{DECORATION_LIMIT, REGEX_LINE_LIMIT, ansi};
use crate::marker::{Marker, MarkerParseError};

#[derive(Debug, Clone)]
pub(super) struct MarkerPatterns {
    patterns: Vec<MarkerPattern>,
    has_regex: bool,
    /// The first bytes of the literals' needles.
    first_bytes: Vec<u8>,
    longest_line: usize,
}

impl MarkerPatterns {
    pub(super) fn new(markers: &[Marker]) -> Result<Self, MarkerParseError> {
        let patterns =
            markers.iter().map(MarkerPattern::new).collect::<Result<Vec<MarkerPattern>, _>>()?;
        let length = |pattern: &MarkerPattern| {
            pattern.literal().map_or(REGEX_LINE_LIMIT, |literal| literal.len() + DECORATION_LIMIT)
        };
        Ok(Self {
            has_regex: patterns.iter().any(|pattern| pattern.literal().is_none()),
            first_bytes: needles(&patterns).map(|needle| needle[0]).collect(),
            longest_line: patterns.iter().map(length).max().unwrap_or(DECORATION_LIMIT),
            patterns,
        })
    }

    /// The maximum length of a line that can be anything but text.
    pub(super) const fn longest_line(&self) -> usize {
        self.longest_line
    }

    pub(super) const fn has_regex(&self) -> bool {
        self.has_regex
    }

    /// For each literal, what a line must contain to be it, apart from escape codes.
    pub(super) fn needles(&self) -> impl Iterator<Item = &[u8]> {
        needles(&self.patterns)
    }

    /// Classifies a line, given without its newline.
    pub(super) fn judge(&self, line: &[u8]) -> ScannedLine<'_> {
        if line.len() > self.longest_line || !self.may_matter(line) {
            return ScannedLine::Text;
        }
        let shown = ansi::strip(line);
        let (indent, line, _) = strip_both_ends(&shown, is_space);
        if line.is_empty() {
            return ScannedLine::Blank;
        }
        // A marker may look like a fence: a configured `~~~ DONE ~~~` must match.
        if let Some(name) = self.name_of(|pattern| pattern.is_exactly(line)) {
            return ScannedLine::Marker(name);
        }
        if let Some(fence) = CodeFence::read(indent, line) {
            return ScannedLine::Fence(fence);
        }
        self.name_of(|pattern| pattern.matches(line)).map_or(ScannedLine::Text, ScannedLine::Marker)
    }

    /// Whether a line can be anything but text, by the first byte that is no decoration. Almost all
    /// lines are rejected here, before anything is copied.
    fn may_matter(&self, line: &[u8]) -> bool {
        let mut rest = line;
        while let Some(&byte) = rest.first() {
            let skipped = match byte {
                _ if self.has_regex || is_fence(byte) => return true,
                ansi::ESCAPE => ansi::code_length(rest).unwrap_or(0),
                _ => usize::from(is_decoration(byte)),
            };
            if skipped == 0 {
                return self.first_bytes.contains(&byte);
            }
            rest = &rest[skipped..];
        }
        true
    }

    fn name_of(&self, is_it: impl Fn(&MarkerPattern) -> bool) -> Option<&str> {
        self.patterns.iter().find(|pattern| is_it(pattern)).map(|pattern| pattern.name.as_str())
    }
}

fn needles(patterns: &[MarkerPattern]) -> impl Iterator<Item = &[u8]> {
    let literals = patterns.iter().filter_map(MarkerPattern::literal);
    literals.map(MarkerLiteral::needle).filter(|needle| !needle.is_empty())
}
