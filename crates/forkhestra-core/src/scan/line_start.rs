//! The position of a line in the output.

use memchr::memchr_iter;

use crate::event::MarkerMatch;

/// The beginning of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineStart {
    /// In bytes.
    offset: u64,
    /// One-based.
    line: u64,
}

impl LineStart {
    pub(super) const START: Self = Self { offset: 0, line: 1 };

    /// Advances over lines, each with its newline.
    pub(super) fn pass(&mut self, lines: &[u8]) {
        self.offset += as_u64(lines.len());
        self.line += as_u64(memchr_iter(b'\n', lines).count());
    }

    /// Advances over one line of this length, and its newline.
    pub(super) const fn pass_line(&mut self, length: u64) {
        self.offset += length + 1;
        self.line += 1;
    }

    /// A marker match at this position.
    pub(super) fn marker_match(self, marker: &str) -> MarkerMatch {
        MarkerMatch {
            marker: marker.to_owned(),
            offset: self.offset,
            line: self.line,
            message: None,
        }
    }
}

/// A `usize` fits on every platform.
pub(super) const fn as_u64(length: usize) -> u64 {
    length as u64
}
