//! From bytes to lines.

use ratatui::style::Style;
use typeset::stream::StreamSanitizer;
use unicode_width::UnicodeWidthChar;

use super::output_line::OutputLine;
use super::sgr;

/// More of one line is not kept.
const LONGEST: usize = 16 * 1024;
/// More pieces of one line are not kept.
const MOST_SPANS: usize = 1024;
/// How far apart tab stops are.
const TAB: usize = 8;

/// Makes lines of the bytes of one stream, which may hold anything: nothing in a line can do anything
/// to a terminal. How the bytes are cut into pieces makes no difference.
#[derive(Debug)]
pub struct OutputLineReader {
    filter: StreamSanitizer,
    keeps_colors: bool,
    is_error: bool,
    style: Style,
    /// A change of colour whose end has not come.
    sequence: Option<String>,
    line: OutputLine,
    length: usize,
    column: usize,
    is_open: bool,
    finished: Vec<OutputLine>,
}

impl OutputLineReader {
    /// A stream that has not begun, with colours or without.
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

    /// Whether its colours are kept.
    pub(crate) const fn keeps_colors(&self) -> bool {
        self.keeps_colors
    }

    /// Takes in more bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let shown = self.filter.feed(bytes);
        self.take_in(&shown.bytes);
    }

    /// Takes note that something is missing between what came and what comes.
    pub fn mark_gap(&mut self) {
        self.finish();
        self.line.follows_gap = true;
    }

    /// Takes note that nothing follows, so that the last line is one, too.
    pub fn finish(&mut self) {
        let shown = self.filter.finish();
        self.take_in(&shown.bytes);
        if self.is_open {
            self.end_line();
        }
        self.style = Style::new();
    }

    /// The lines that came to their end since this was last asked.
    pub fn take(&mut self) -> Vec<OutputLine> {
        std::mem::take(&mut self.finished)
    }

    /// The last line, if it has not come to its end.
    pub fn partial_line(&self) -> Option<OutputLine> {
        self.is_open.then(|| OutputLine { is_error: self.is_error, ..self.line.clone() })
    }

    fn take_in(&mut self, bytes: &[u8]) {
        // The filter lets nothing but text through, and cuts no character.
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

    /// All that the filter lets through of this kind is a change of colour: `ESC [ … m`.
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
        let mut room = LONGEST.saturating_sub(self.length).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        if room == 0 || !is_same && self.line.spans.len() == MOST_SPANS {
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
