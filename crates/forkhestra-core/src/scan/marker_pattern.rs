//! One marker, compiled for matching lines.

use regex::bytes::Regex;

use super::ansi;
use super::scanned_line::{is_decoration, is_space, strip_both_ends};
use crate::marker::{Marker, MarkerParseError, compile};

#[derive(Debug, Clone)]
pub(super) struct MarkerPattern {
    /// The marker as configured.
    pub(super) name: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Literal(MarkerLiteral),
    Regex(Regex),
}

impl MarkerPattern {
    pub(super) fn new(marker: &Marker) -> Result<Self, MarkerParseError> {
        let kind = match marker {
            Marker::Literal(text) => Kind::Literal(MarkerLiteral::new(text)),
            Marker::Regex(pattern) => {
                Kind::Regex(compile(pattern).map_err(MarkerParseError::BadRegex)?)
            }
        };
        Ok(Self { name: marker.to_string(), kind })
    }

    pub(super) const fn literal(&self) -> Option<&MarkerLiteral> {
        match &self.kind {
            Kind::Literal(literal) => Some(literal),
            Kind::Regex(_) => None,
        }
    }

    /// Whether a line is exactly the marker.
    pub(super) fn is_exactly(&self, line: &[u8]) -> bool {
        self.literal().is_some_and(|literal| literal.text == line)
    }

    /// Whether a trimmed line is the marker, with any decoration.
    pub(super) fn matches(&self, line: &[u8]) -> bool {
        match &self.kind {
            Kind::Literal(literal) => literal.matches(line),
            Kind::Regex(regex) => {
                let (_, core, _) = strip_both_ends(line, is_decoration);
                regex.is_match(line) || (core.len() < line.len() && regex.is_match(core))
            }
        }
    }
}

/// A literal marker. It may have decoration of its own, as in `__DONE__`, which is then required.
#[derive(Debug, Clone)]
pub(super) struct MarkerLiteral {
    text: Vec<u8>,
    before: Vec<u8>,
    core: Vec<u8>,
    after: Vec<u8>,
}

impl MarkerLiteral {
    fn new(text: &str) -> Self {
        let shown = ansi::strip(text.as_bytes());
        let (_, text, _) = strip_both_ends(&shown, is_space);
        let (before, core, after) = strip_both_ends(text, is_decoration);
        Self {
            text: text.to_vec(),
            before: before.to_vec(),
            core: core.to_vec(),
            after: after.to_vec(),
        }
    }

    /// What a line must contain to be the marker, apart from escape codes.
    pub(super) fn needle(&self) -> &[u8] {
        if self.core.is_empty() { &self.text } else { &self.core }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    fn matches(&self, line: &[u8]) -> bool {
        let (before, core, after) = strip_both_ends(line, is_decoration);
        // A marker of decoration only must match exactly, or any horizontal rule would match.
        !core.is_empty()
            && core == self.core
            && before.ends_with(&self.before)
            && after.starts_with(&self.after)
    }
}
