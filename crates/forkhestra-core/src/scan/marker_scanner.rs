//! The scanner: splits chunks of output into lines and finds the marker.

use memchr::{memchr, memrchr};

use super::fenced_blocks::FencedBlocks;
use super::line_hints::LineHints;
use super::line_start::{LineStart, as_u64};
use super::line_tail::LineTail;
use super::marker_patterns::MarkerPatterns;
use super::scanned_line::ScannedLine;
use crate::event::MarkerMatch;
use crate::marker::{Marker, MarkerParseError};

/// Approximate size of a section that is searched at a time, so that it stays in the CPU cache for
/// the next search.
const SECTION_BYTES: usize = 16 * 1024;

/// Finds markers in an output that arrives in chunks. The chunk boundaries make no difference.
///
/// ```
/// use forkhestra_core::marker::Marker;
/// use forkhestra_core::scan::MarkerScanner;
///
/// let mut scanner = MarkerScanner::new(&Marker::defaults())?;
/// assert_eq!(scanner.feed(b"I will say FORKHESTRA_COMPLETE.\n**FORKHESTRA_"), None);
/// let marker_match = scanner.feed(b"COMPLETE**\n").expect("a marker alone on its line");
/// assert_eq!((marker_match.offset, marker_match.line), (32, 2));
/// assert_eq!(scanner.finish(), Some(marker_match));
/// # Ok::<(), forkhestra_core::marker::MarkerParseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct MarkerScanner {
    patterns: MarkerPatterns,
    hints: LineHints,
    blocks: FencedBlocks,
    tail: LineTail,
    /// The beginning of the tail.
    line_start: LineStart,
    found: Option<MarkerMatch>,
}

impl MarkerScanner {
    /// Creates a scanner for any of these markers. It fails only for a regular expression that was
    /// not validated by [`Marker::parse`].
    pub fn new(markers: &[Marker]) -> Result<Self, MarkerParseError> {
        let patterns = MarkerPatterns::new(markers)?;
        Ok(Self {
            hints: LineHints::new(&patterns),
            blocks: FencedBlocks::new(),
            tail: LineTail::new(patterns.longest_line()),
            line_start: LineStart::START,
            found: None,
            patterns,
        })
    }

    /// Takes the next chunk of the output. The marker is returned once, as soon as it is certain to
    /// count: outside of fenced blocks, with its line complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<MarkerMatch> {
        if self.found.is_some() {
            return None;
        }
        self.found = self.scan_sections(bytes);
        self.found.clone()
    }

    /// Ends the output, and returns the marker that counts, whether it was returned before or not.
    /// The end completes the last line, and makes a marker count that is all of the last block.
    pub fn finish(mut self) -> Option<MarkerMatch> {
        if self.found.is_some() {
            return self.found;
        }
        if self.tail.length() > 0
            && let Some(marker_match) = self.end_tail()
        {
            return Some(marker_match);
        }
        self.blocks.finish()
    }

    /// The number of bytes of the output that are kept.
    #[cfg(test)]
    pub(super) const fn memory(&self) -> usize {
        self.tail.memory()
    }

    fn scan_sections(&mut self, bytes: &[u8]) -> Option<MarkerMatch> {
        let mut rest = bytes;
        if self.tail.length() > 0 {
            let end = memchr(b'\n', bytes);
            self.tail.push(&bytes[..end.unwrap_or(bytes.len())]);
            rest = &bytes[end? + 1..];
            if let Some(marker_match) = self.end_tail() {
                return Some(marker_match);
            }
        }
        let complete = memrchr(b'\n', rest).map_or(0, |last| last + 1);
        let (mut lines, tail) = rest.split_at(complete);
        while !lines.is_empty() {
            let (section, others) = lines.split_at(section_length(lines));
            if let Some(marker_match) = self.scan_section(section) {
                return Some(marker_match);
            }
            lines = others;
        }
        self.tail.push(tail);
        None
    }

    /// Takes complete lines.
    fn scan_section(&mut self, lines: &[u8]) -> Option<MarkerMatch> {
        self.hints.forget();
        let mut at = 0;
        while let Some(start) = self.next_that_matters(lines, at) {
            self.line_start.pass(&lines[at..start]);
            let length = memchr(b'\n', &lines[start..]).unwrap_or(lines.len() - start);
            let line = self.patterns.judge(&lines[start..start + length]);
            if let Some(marker_match) = self.blocks.next_line(line, self.line_start) {
                return Some(marker_match);
            }
            self.line_start.pass_line(as_u64(length));
            at = start + length + 1;
        }
        self.line_start.pass(&lines[at..]);
        None
    }

    /// The beginning of the next line that may matter.
    fn next_that_matters(&mut self, lines: &[u8], from: usize) -> Option<usize> {
        if self.patterns.has_regex() || !self.blocks.pass_over_text() {
            return (from < lines.len()).then_some(from);
        }
        let hint = self.hints.next(lines, from)?;
        Some(memrchr(b'\n', &lines[from..hint]).map_or(from, |newline| from + newline + 1))
    }

    fn end_tail(&mut self) -> Option<MarkerMatch> {
        let line = self.tail.line().map_or(ScannedLine::Text, |line| self.patterns.judge(line));
        let marker_match = self.blocks.next_line(line, self.line_start);
        self.line_start.pass_line(self.tail.length());
        self.tail.clear();
        marker_match
    }
}

/// The length of the lines that are searched together.
fn section_length(lines: &[u8]) -> usize {
    let Some((near, far)) = lines.split_at_checked(SECTION_BYTES) else {
        return lines.len();
    };
    memrchr(b'\n', near).map_or_else(
        || memchr(b'\n', far).map_or(lines.len(), |newline| SECTION_BYTES + newline + 1),
        |newline| newline + 1,
    )
}
