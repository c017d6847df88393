//! Splits bytes into lines.

use ratatui::style::Style;
use typeset::stream::StreamSanitizer;
use unicode_width::UnicodeWidthChar;

use super::output_line::OutputLine;
use super::sgr;

/// Maximum length of a line in bytes.
pub(super) const MAX_LINE_BYTES: usize = 16 * 1024;
/// Maximum number of spans of a line.
const MAX_SPANS: usize = 1024;
/// Distance between tab stops.
const TAB: usize = 8;

/// Splits the bytes of one stream into sanitized lines, whatever the bytes contain. The result does
/// not depend on chunk boundaries.
#[derive(Debug)]
pub struct OutputLineReader {
    filter: StreamSanitizer,
    keeps_colors: bool,
    is_error: bool,
    style: Style,
    /// An incomplete colour sequence.
    sequence: Option<String>,
    line: OutputLine,
    length: usize,
    column: usize,
    is_open: bool,
    finished: Vec<OutputLine>,
}

impl OutputLineReader {
    /// Creates a reader, with or without colours.
    pub fn new(is_error: bool, keeps_colors: bool) -> Self {
        Self {
            filter: StreamSanitizer::new(keeps_colors),
            keeps_colors,
            is_error,
            style: Style::new(),
            sequence: None,
            line: OutputLine::default(),
            length: 0,
            column: 0,
            is_open: false,
            finished: Vec::new(),
        }
    }

    /// Whether colours are kept.
    pub(crate) const fn keeps_colors(&self) -> bool {
        self.keeps_colors
    }

    /// Adds bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let shown = self.filter.feed(bytes);
        self.process(&shown.bytes);
    }

    /// Marks missing bytes between the previous and the next ones.
    pub fn mark_gap(&mut self) {
        self.finish();
        self.line.follows_gap = true;
    }

    /// Ends the stream and completes the last line.
    pub fn finish(&mut self) {
        let shown = self.filter.finish();
        self.process(&shown.bytes);
        if self.is_open {
            self.end_line();
        }
        self.style = Style::new();
    }

    /// Returns the lines completed since the last call.
    pub fn take(&mut self) -> Vec<OutputLine> {
        std::mem::take(&mut self.finished)
    }

    /// The incomplete last line, if any.
    pub fn partial_line(&self) -> Option<OutputLine> {
        self.is_open.then(|| OutputLine { is_error: self.is_error, ..self.line.clone() })
    }

    fn process(&mut self, bytes: &[u8]) {
        // The filter passes only valid text and splits no character.
        let text = String::from_utf8_lossy(bytes);
        let mut rest = text.as_ref();
        while !rest.is_empty() {
            if self.sequence.is_some() {
                rest = self.go_on_with_sequence(rest);
                continue;
            }
            let end = rest.find(['\n', '\t', '\u{1b}']).unwrap_or(rest.len());
            let (plain, after) = rest.split_at(end);
            self.add(plain);
            rest = after;
            match rest.as_bytes().first() {
                Some(b'\n') => self.end_line(),
                Some(b'\t') => self.add(&" ".repeat(TAB - self.column % TAB)),
                Some(_) => self.sequence = Some(String::new()),
                None => break,
            }
            rest = &rest[1..];
        }
    }

    /// Continues a colour sequence `ESC [ … m`, the only kind of sequence that the filter passes.
    fn go_on_with_sequence<'a>(&mut self, rest: &'a str) -> &'a str {
        let sequence = self.sequence.get_or_insert_default();
        match rest.find('m') {
            Some(end) => {
                sequence.push_str(&rest[..end]);
                self.style = sgr::changed(self.style, sequence.trim_start_matches('['));
                self.sequence = None;
                &rest[end + 1..]
            }
            None => {
                sequence.push_str(rest);
                ""
            }
        }
    }

    fn add(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.is_open = true;
        let is_same = self.line.spans.last().is_some_and(|(style, _)| *style == self.style);
        let mut room = MAX_LINE_BYTES.saturating_sub(self.length).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        if room == 0 || !is_same && self.line.spans.len() == MAX_SPANS {
            self.line.is_cut = true;
            return;
        }
        self.line.is_cut |= room < text.len();
        let kept = &text[..room];
        self.length += kept.len();
        self.column += kept.chars().map(|character| character.width().unwrap_or(0)).sum::<usize>();
        match self.line.spans.last_mut() {
            Some((_, last)) if is_same => last.push_str(kept),
            _ => self.line.spans.push((self.style, kept.to_owned())),
        }
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        line.is_error = self.is_error;
        self.finished.push(line);
        self.length = 0;
        self.column = 0;
        self.is_open = false;
    }
}
