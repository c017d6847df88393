//! The same rules once more, for a whole text at once and with no thought of speed or memory.
//!
//! The fuzz target uses this file as well.

use regex::bytes::Regex;

use super::{DECORATION_LIMIT, Marker, REGEX_LINE_LIMIT, Sighting};

const ESCAPE_CODES: &str = r"(?x-u)
    \x1b \[ [0-?]* [\x20-/]* [@-~]
  | \x1b \] [^\x07\x1b]* (?: \x07 | \x1b\\ )
  | \x1b [PX^_] [^\x1b]* \x1b\\
  | \x1b [\x20-/]+ [0-~]
  | \x1b [0-OQ-WYZ\\`-~]";
const FENCE: &str = r"(?s-u)^(?:(```+)[^`]*|(~~~+).*)$";
const DECORATION: &str = r"(?-u)^[*_`\x20\t\r\x0b\x0c]*$";

pub(super) struct Reference {
    markers: Vec<(Marker, Option<Regex>)>,
    longest: usize,
    escape_codes: Regex,
    fence: Regex,
    decoration: Regex,
}

/// What a line is, and what is left of it without escape codes and white space around it.
struct Line {
    offset: usize,
    shown: Vec<u8>,
    marker: Option<String>,
    /// The character and the length.
    fence: Option<(u8, usize)>,
}

impl Reference {
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
            fence: compile(FENCE),
            decoration: compile(DECORATION),
        }
    }

    /// What counts at the end of this output.
    pub(super) fn scan(&self, text: &[u8]) -> Option<Sighting> {
        let lines = self.lines(text);
        let sighting = |at: usize| {
            let marker = lines[at].marker.clone()?;
            Some(Sighting { marker, offset: lines[at].offset as u64, line: at as u64 + 1 })
        };
        let mut at = 0;
        while at < lines.len() {
            if lines[at].marker.is_some() {
                return sighting(at);
            }
            let opening = at;
            at += 1;
            if lines[opening].fence.is_none() {
                continue;
            }
            let inside = lines[at..].iter().take_while(|line| !line.closes(&lines[opening]));
            let end = at + inside.count();
            let content: Vec<usize> = (at..end).filter(|at| !lines[*at].is_blank()).collect();
            let ends_output = lines.iter().skip(end + 1).all(Line::is_blank);
            if let ([only], true) = (content.as_slice(), ends_output) {
                return sighting(*only);
            }
            at = end + 1;
        }
        None
    }

    /// What is certain while the output goes on: what would count if mere text followed.
    pub(super) fn certain(&self, text: &[u8]) -> Option<Sighting> {
        let complete = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        self.scan(&[&text[..complete], b"mere text"].concat())
    }

    fn lines(&self, text: &[u8]) -> Vec<Line> {
        let mut offset = 0;
        let read = |line: &[u8]| {
            let line = self.line(offset, line);
            offset += text[offset..].iter().take_while(|byte| **byte != b'\n').count() + 1;
            line
        };
        text.split(|byte| *byte == b'\n').map(read).collect()
    }

    fn line(&self, offset: usize, line: &[u8]) -> Line {
        if line.len() > self.longest {
            return Line { offset, shown: b"too long".to_vec(), marker: None, fence: None };
        }
        let shown = self.escape_codes.replace_all(line, b"".as_slice());
        let is_space = |byte: &u8| b" \t\r\x0b\x0c".contains(byte);
        let shown: Vec<u8> = shown.iter().copied().skip_while(is_space).collect();
        let spaces = shown.iter().rev().take_while(|byte| is_space(byte)).count();
        let shown = shown[..shown.len() - spaces].to_vec();
        let fence = self.fence.captures(&shown).and_then(|captures| {
            let run = captures.get(1).or(captures.get(2))?.as_bytes();
            Some((run[0], run.len()))
        });
        let marker = self.marker(&shown, fence.is_some());
        Line { offset, shown, marker, fence }
    }

    fn marker(&self, line: &[u8], is_fence: bool) -> Option<String> {
        if line.is_empty() {
            return None;
        }
        let exact = |(marker, _): &&(Marker, _)| matches!(marker, Marker::Literal(text) if text.as_bytes() == line);
        let decorated = |(marker, regex): &&(Marker, Option<Regex>)| match (marker, regex) {
            (_, Some(regex)) => regex.is_match(line) || regex.is_match(self.undecorated(line)),
            (marker, None) => self.is_decorated(&marker.to_string(), line),
        };
        let found = self.markers.iter().find(exact);
        let found = found.or_else(|| self.markers.iter().find(decorated).filter(|_| !is_fence));
        found.map(|(marker, _)| marker.to_string())
    }

    fn is_decorated(&self, text: &str, line: &[u8]) -> bool {
        let is_decoration = |bytes: &[u8]| self.decoration.is_match(bytes);
        !is_decoration(text.as_bytes())
            && (0..line.len()).any(|at| {
                line[at..].starts_with(text.as_bytes())
                    && is_decoration(&line[..at])
                    && is_decoration(&line[at + text.len()..])
            })
    }

    fn undecorated<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let is_decoration = |byte: &u8| self.decoration.is_match(&[*byte]);
        let start = line.iter().position(|byte| !is_decoration(byte)).unwrap_or(line.len());
        let end = line.iter().rposition(|byte| !is_decoration(byte)).map_or(start, |at| at + 1);
        &line[start..end]
    }
}

impl Line {
    fn is_blank(&self) -> bool {
        self.shown.is_empty()
    }

    fn closes(&self, opening: &Self) -> bool {
        let (Some((character, length)), Some((other, least))) = (self.fence, opening.fence) else {
            return false;
        };
        self.marker.is_none()
            && self.shown == vec![character; length]
            && character == other
            && length >= least
    }
}

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the expression is right")
}
