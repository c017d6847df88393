//! From pieces of output to lines.

use memchr::{memchr, memrchr};

use super::blocks::Blocks;
use super::hints::Hints;
use super::line::Line;
use super::patterns::Patterns;
use super::place::{Place, as_u64};
use super::tail::Tail;
use crate::event::Sighting;
use crate::marker::{Marker, NotAMarker};

/// About how much is searched at a time, so that it is still near when it is searched for the next
/// thing.
const SECTION: usize = 16 * 1024;

/// Looks for markers in an output that comes in pieces. How it is cut makes no difference.
///
/// ```
/// use forkhestra_core::marker::Marker;
/// use forkhestra_core::scan::Scanner;
///
/// let mut scanner = Scanner::new(&Marker::defaults())?;
/// assert_eq!(scanner.feed(b"I will say FORKHESTRA_COMPLETE.\n**FORKHESTRA_"), None);
/// let sighting = scanner.feed(b"COMPLETE**\n").expect("a marker alone on its line");
/// assert_eq!((sighting.offset, sighting.line), (32, 2));
/// assert_eq!(scanner.finish(), Some(sighting));
/// # Ok::<(), forkhestra_core::marker::NotAMarker>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scanner {
    patterns: Patterns,
    hints: Hints,
    blocks: Blocks,
    tail: Tail,
    /// Where the tail begins.
    place: Place,
    found: Option<Sighting>,
}

impl Scanner {
    /// Looks for any of these markers. It fails only for a regular expression that has not come
    /// out of [`Marker::parse`].
    pub fn new(markers: &[Marker]) -> Result<Self, NotAMarker> {
        let patterns = Patterns::new(markers)?;
        Ok(Self {
            hints: Hints::new(&patterns),
            blocks: Blocks::new(),
            tail: Tail::new(patterns.longest_line()),
            place: Place::START,
            found: None,
            patterns,
        })
    }

    /// Takes the next piece of the output. The marker is returned once, as soon as it is certain
    /// that it counts: outside of fenced blocks, with its line complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<Sighting> {
        if self.found.is_some() {
            return None;
        }
        self.found = self.look_through(bytes);
        self.found.clone()
    }

    /// The output is over: gives the marker that counts, whether it was returned before or not.
    /// The end completes the last line, and makes a marker count that is all of the last block.
    pub fn finish(mut self) -> Option<Sighting> {
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

    /// How many bytes of the output are kept.
    #[cfg(test)]
    pub(super) const fn memory(&self) -> usize {
        self.tail.memory()
    }

    fn look_through(&mut self, bytes: &[u8]) -> Option<Sighting> {
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
    fn look_at_section(&mut self, lines: &[u8]) -> Option<Sighting> {
        self.hints.forget();
        let mut at = 0;
        while let Some(start) = self.next_that_matters(lines, at) {
            self.place.pass(&lines[at..start]);
            let length = memchr(b'\n', &lines[start..]).unwrap_or(lines.len() - start);
            let line = self.patterns.judge(&lines[start..start + length]);
            if let Some(sighting) = self.blocks.see(line, self.place) {
                return Some(sighting);
            }
            self.place.pass_line(as_u64(length));
            at = start + length + 1;
        }
        self.place.pass(&lines[at..]);
        None
    }

    /// The beginning of the next line that may change something.
    fn next_that_matters(&mut self, lines: &[u8], from: usize) -> Option<usize> {
        if self.patterns.has_regex() || !self.blocks.pass_over_text() {
            return (from < lines.len()).then_some(from);
        }
        let hint = self.hints.next(lines, from)?;
        Some(memrchr(b'\n', &lines[from..hint]).map_or(from, |newline| from + newline + 1))
    }

    fn end_tail(&mut self) -> Option<Sighting> {
        let line = self.tail.line().map_or(Line::Text, |line| self.patterns.judge(line));
        let sighting = self.blocks.see(line, self.place);
        self.place.pass_line(self.tail.length());
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
