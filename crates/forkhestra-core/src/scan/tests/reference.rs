//! A reference implementation of the scanner, for a whole text at once and without regard to speed
//! or memory.
//!
//! The fuzz target uses this file as well.

use regex::bytes::Regex;

use super::{DECORATION_LIMIT, Marker, MarkerMatch, REGEX_LINE_LIMIT};

const ESCAPE_CODES: &str = r"(?x-u)
    \x1b \[ [0-?]* [\x20-/]* [@-~]
  | \x1b \] [^\x07\x1b]* (?: \x07 | \x1b\\ )
  | \x1b [PX^_] [^\x1b]* \x1b\\
  | \x1b [\x20-/]+ [0-~]
  | \x1b [0-OQ-WYZ\\`-~]";
const WHITE_SPACE: &[u8] = b" \t\r\x0b\x0c";
const DECORATION: &[u8] = b" \t\r\x0b\x0c*_`";

pub(super) struct ReferenceScanner {
    markers: Vec<(Marker, Option<Regex>)>,
    longest: usize,
    escape_codes: Regex,
}

/// The classification of a line, and its text without escape codes and surrounding white space.
struct ReferenceLine {
    offset: usize,
    shown: Vec<u8>,
    marker: Option<String>,
    /// The character and the length.
    fence: Option<(u8, usize)>,
    is_near_the_margin: bool,
}

impl ReferenceScanner {
    pub(super) fn new(markers: &[Marker]) -> Self {
        let longest = markers.iter().map(|marker| match marker {
            Marker::Literal(text) => text.len() + DECORATION_LIMIT,
            Marker::Regex(_) => REGEX_LINE_LIMIT,
        });
        let compiled = |marker: &Marker| match marker {
            Marker::Literal(_) => (marker.clone(), None),
            Marker::Regex(pattern) => (marker.clone(), Some(compile(pattern))),
        };
        Self {
            longest: longest.max().unwrap_or(DECORATION_LIMIT),
            markers: markers.iter().map(compiled).collect(),
            escape_codes: compile(ESCAPE_CODES),
        }
    }

    /// The marker that counts at the end of this output.
    pub(super) fn scan(&self, text: &[u8]) -> Option<MarkerMatch> {
        let lines = self.lines(text);
        let counts = match first(&lines, 0, true) {
            Err(open_since) => first(&lines, open_since, false),
            counts => counts,
        };
        marker_match(&lines, counts.ok()??)
    }

    /// The marker that is certain to count before the end: the one that counts if plain text
    /// follows.
    pub(super) fn certain(&self, text: &[u8]) -> Option<MarkerMatch> {
        let complete = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let lines = self.lines(&[&text[..complete], b"mere text"].concat());
        marker_match(&lines, first(&lines, 0, true).ok()??)
    }

    fn lines(&self, text: &[u8]) -> Vec<ReferenceLine> {
        let mut offset = 0;
        let read = |line: &[u8]| {
            let line = self.line(offset, line);
            offset += text[offset..].iter().take_while(|byte| **byte != b'\n').count() + 1;
            line
        };
        text.split(|byte| *byte == b'\n').map(read).collect()
    }

    fn line(&self, offset: usize, line: &[u8]) -> ReferenceLine {
        if line.len() > self.longest {
            let (shown, is_near_the_margin) = (b"too long".to_vec(), true);
            return ReferenceLine { offset, shown, marker: None, fence: None, is_near_the_margin };
        }
        let shown = match line.contains(&0x1b) {
            true => self.escape_codes.replace_all(line, b"".as_slice()).into_owned(),
            false => line.to_vec(),
        };
        let indent = shown.iter().take_while(|byte| WHITE_SPACE.contains(byte));
        let is_near_the_margin = !indent.clone().any(|byte| *byte == b'\t')
            && indent.filter(|byte| **byte == b' ').count() <= 3;
        let shown = without(WHITE_SPACE, &shown).to_vec();
        let fence = fence(&shown).filter(|_| is_near_the_margin || !shown.starts_with(b"~"));
        let marker = self.marker(&shown, fence.is_some());
        ReferenceLine { offset, shown, marker, fence, is_near_the_margin }
    }

    fn marker(&self, line: &[u8], is_fence: bool) -> Option<String> {
        if line.is_empty() {
            return None;
        }
        let exact = |(marker, _): &&(Marker, _)| matches!(marker, Marker::Literal(text) if text.as_bytes() == line);
        let decorated = |(marker, regex): &&(Marker, Option<Regex>)| match (marker, regex) {
            (_, Some(regex)) => regex.is_match(line) || regex.is_match(without(DECORATION, line)),
            (marker, None) => is_decorated(marker.to_string().as_bytes(), line),
        };
        let found = self.markers.iter().find(exact);
        let found = found.or_else(|| self.markers.iter().find(decorated).filter(|_| !is_fence));
        found.map(|(marker, _)| marker.to_string())
    }
}

impl ReferenceLine {
    fn is_blank(&self) -> bool {
        self.shown.is_empty()
    }

    /// The change of the number of open blocks; `opening` began the first of them.
    fn depth(&self, opening: &Self, nests: bool) -> isize {
        let (Some((character, length)), Some((other, least))) = (self.fence, opening.fence) else {
            return 0;
        };
        match self.shown.len() == length {
            _ if self.marker.is_some() || character != other || length < least => 0,
            _ if opening.is_near_the_margin && !self.is_near_the_margin => 0,
            true => -1,
            false => isize::from(nests),
        }
    }
}

/// The first line that counts. With nesting, it fails with the beginning of a block that is open at
/// the end.
fn first(lines: &[ReferenceLine], from: usize, nests: bool) -> Result<Option<usize>, usize> {
    let mut at = from;
    while at < lines.len() {
        if lines[at].marker.is_some() {
            return Ok(Some(at));
        }
        let opening = at;
        at += 1;
        if lines[opening].fence.is_none() {
            continue;
        }
        let mut depth = 1;
        let end = (at..lines.len()).find(|at| {
            depth += lines[*at].depth(&lines[opening], nests);
            depth == 0
        });
        if nests && end.is_none() {
            return Err(opening);
        }
        let end = end.unwrap_or(lines.len());
        let content: Vec<usize> = (at..end).filter(|at| !lines[*at].is_blank()).collect();
        let ends_output = lines.iter().skip(end + 1).all(ReferenceLine::is_blank);
        if let ([only], true) = (content.as_slice(), ends_output) {
            return Ok(lines[*only].marker.is_some().then_some(*only));
        }
        at = end + 1;
    }
    Ok(None)
}

fn marker_match(lines: &[ReferenceLine], at: usize) -> Option<MarkerMatch> {
    let marker = lines[at].marker.clone()?;
    Some(MarkerMatch {
        marker,
        offset: lines[at].offset as u64,
        line: at as u64 + 1,
        message: None,
    })
}

/// The character and the length of the fence at the beginning of a line.
fn fence(line: &[u8]) -> Option<(u8, usize)> {
    let character = *line.first()?;
    let length = line.iter().take_while(|byte| **byte == character).count();
    match character {
        b'~' if length >= 3 && !line[length..].iter().any(|byte| b"~^".contains(byte)) => {
            Some((character, length))
        }
        b'`' if length >= 3 && !line[length..].contains(&b'`') => Some((character, length)),
        _ => None,
    }
}

fn is_decorated(text: &[u8], line: &[u8]) -> bool {
    let is_decoration = |bytes: &[u8]| bytes.iter().all(|byte| DECORATION.contains(byte));
    !is_decoration(text)
        && (0..line.len()).any(|at| {
            line[at..].starts_with(text)
                && is_decoration(&line[..at])
                && is_decoration(&line[at + text.len()..])
        })
}

/// A line without these bytes at its ends.
fn without<'a>(bytes: &[u8], line: &'a [u8]) -> &'a [u8] {
    let start = line.iter().take_while(|byte| bytes.contains(byte)).count();
    let end = line[start..].iter().rev().take_while(|byte| bytes.contains(byte)).count();
    &line[start..line.len() - end]
}

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the expression is right")
}
