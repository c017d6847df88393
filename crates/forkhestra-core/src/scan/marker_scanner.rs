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
const SECTION: usize = 16 * 1024;

/// Finds markers in an output that arrives in chunks. The chunk boundaries make no difference.
///
/// ```
/// use forkhestra_core::marker::Marker;
/// use forkhestra_core::scan::MarkerScanner;
///
/// let mut scanner = MarkerScanner::new(&Marker::defaults())?;
/// assert_eq!(scanner.feed(b"I will say FORKHESTRA_COMPLETE.\n**FORKHESTRA_"), None);
/// let sighting = scanner.feed(b"COMPLETE**\n").expect("a marker alone on its line");
/// assert_eq!((sighting.offset, sighting.line), (32, 2));
/// assert_eq!(scanner.finish(), Some(sighting));
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
        self.found = self.look_through(bytes);
        self.found.clone()
    }

    /// Ends the output, and returns the marker that counts, whether it was returned before or not.
    /// The end completes the last line, and makes a marker count that is all of the last block.
    pub fn finish(mut self) -> Option<MarkerMatch> {
        if self.found.is_some() {
            return self.found;
        }
        if self.tail.length() > 0
            && let Some(sighting) = self.end_tail()
        {
            return Some(sighting);
        }
        self.blocks.finish()
    }

    /// The number of bytes of the output that are kept.
    #[cfg(test)]
    pub(super) const fn memory(&self) -> usize {
        self.tail.memory()
    }

    fn look_through(&mut self, bytes: &[u8]) -> Option<MarkerMatch> {
        let mut rest = bytes;
        if self.tail.length() > 0 {
            let end = memchr(b'\n', bytes);
            self.tail.push(&bytes[..end.unwrap_or(bytes.len())]);
            rest = &bytes[end? + 1..];
            if let Some(sighting) = self.end_tail() {
                return Some(sighting);
            }
        }
        let complete = memrchr(b'\n', rest).map_or(0, |last| last + 1);
        let (mut lines, tail) = rest.split_at(complete);
        while !lines.is_empty() {
            let (section, others) = lines.split_at(section_length(lines));
            if let Some(sighting) = self.look_at_section(section) {
                return Some(sighting);
            }
            lines = others;
        }
        self.tail.push(tail);
        None
    }

    /// Takes complete lines.
    fn look_at_section(&mut self, lines: &[u8]) -> Option<MarkerMatch> {
        self.hints.forget();
        let mut at = 0;
        while let Some(start) = self.next_that_matters(lines, at) {
            self.line_start.pass(&lines[at..start]);
            let length = memchr(b'\n', &lines[start..]).unwrap_or(lines.len() - start);
            let line = self.patterns.judge(&lines[start..start + length]);
            if let Some(sighting) = self.blocks.see(line, self.line_start) {
                return Some(sighting);
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
        let sighting = self.blocks.see(line, self.line_start);
        self.line_start.pass_line(self.tail.length());
        self.tail.clear();
        sighting
    }
}

/// The length of the lines that are searched together.
fn section_length(lines: &[u8]) -> usize {
    let Some((near, far)) = lines.split_at_checked(SECTION) else {
        return lines.len();
    };
    memrchr(b'\n', near).map_or_else(
        || memchr(b'\n', far).map_or(lines.len(), |newline| SECTION + newline + 1),
        |newline| newline + 1,
    )
}
