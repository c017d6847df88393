//! Streamed text of an agent, filtered for the terminal and trimmed of outer empty lines.

use typeset::style::{DIM, paint};

use super::sanitized_text::SanitizedText;

/// Prefix of each line of a subagent.
const NESTED: &str = "│";

/// Text that arrives in pieces. Control sequences are removed even when a piece ends inside one,
/// lines that look like ours are marked, and the text neither begins nor ends with empty lines.
#[derive(Debug)]
pub(super) struct TextFlow {
    /// Whether the text belongs to a subagent.
    pub(super) nested: bool,
    filter: SanitizedText,
    has_begun: bool,
    is_inside_line: bool,
    /// Empty lines that are written only when more text follows.
    held_breaks: usize,
}

impl TextFlow {
    /// Creates a text of which nothing has arrived.
    pub(super) fn new(nested: bool) -> Self {
        Self {
            nested,
            filter: SanitizedText::new(false),
            has_begun: false,
            is_inside_line: false,
            held_breaks: 0,
        }
    }

    /// Whether any of the text was shown.
    pub(super) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the last line has no line end yet.
    pub(super) const fn is_inside_line(&self) -> bool {
        self.is_inside_line
    }

    /// Filters another piece and returns what to show.
    pub(super) fn piece(&mut self, text: &str) -> String {
        let shown = self.filter.feed(text.as_bytes());
        self.lay_out(&shown)
    }

    /// Returns the text still held back at the end of the stream. Its last line may lack a line
    /// end.
    pub(super) fn finish(&mut self) -> String {
        let shown = self.filter.finish();
        self.lay_out(&shown)
    }

    fn lay_out(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let content = line.strip_suffix('\n').unwrap_or(line);
            if content.is_empty() && !self.is_inside_line {
                self.held_breaks += usize::from(self.has_begun);
                continue;
            }
            if !content.is_empty() {
                self.begin_line(&mut shown);
                shown.push_str(content);
            }
            if line.len() > content.len() {
                shown.push('\n');
                self.is_inside_line = false;
            }
        }
        shown
    }

    fn begin_line(&mut self, shown: &mut String) {
        self.has_begun = true;
        if self.is_inside_line {
            return;
        }
        self.is_inside_line = true;
        for _ in 0..std::mem::take(&mut self.held_breaks) {
            shown.push_str(&indented("", self.nested));
            shown.push('\n');
        }
        if self.nested {
            shown.push_str(&format!("{} ", paint(DIM, NESTED)));
        }
    }
}

/// Prefixes a line of a subagent; a line of the main agent is unchanged.
pub(super) fn indented(line: &str, nested: bool) -> String {
    match (nested, line.is_empty()) {
        (false, _) => line.to_owned(),
        (true, true) => paint(DIM, NESTED),
        (true, false) => format!("{} {line}", paint(DIM, NESTED)),
    }
}
