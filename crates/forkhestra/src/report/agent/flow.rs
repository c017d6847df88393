//! A text that comes in pieces, of which no more is shown than is needed.

use typeset::stream::StreamSanitizer;
use typeset::style::{DIM, paint};

/// What stands before each line of a subagent.
const NESTED: &str = "│";

/// A text that comes in pieces. Nothing in it can do anything to a terminal, wherever it is cut, and
/// it neither begins nor ends with empty lines.
#[derive(Debug)]
pub(super) struct TextFlow {
    /// Whether it is that of a subagent.
    pub(super) nested: bool,
    filter: StreamSanitizer,
    /// Whether anything was shown of it.
    has_begun: bool,
    /// Whether its last line is not finished.
    is_inside_line: bool,
    /// Empty lines that are shown only if something follows them.
    held_breaks: usize,
}

impl TextFlow {
    /// A text that has not begun.
    pub(super) const fn new(nested: bool) -> Self {
        Self {
            nested,
            filter: StreamSanitizer::new(false),
            has_begun: false,
            is_inside_line: false,
            held_breaks: 0,
        }
    }

    /// Whether anything was shown of it.
    pub(super) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether its last line is not finished.
    pub(super) const fn is_inside_line(&self) -> bool {
        self.is_inside_line
    }

    /// What is to be shown of another piece.
    pub(super) fn piece(&mut self, text: &str) -> String {
        let shown = self.filter.feed(text.as_bytes());
        self.lay_out(&String::from_utf8_lossy(&shown.bytes))
    }

    /// What was held back, when nothing follows. Its last line may be without an end.
    pub(super) fn finish(&mut self) -> String {
        let shown = self.filter.finish();
        self.lay_out(&String::from_utf8_lossy(&shown.bytes))
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

/// A line as it stands in the answers of the agent or its subagent.
pub(super) fn indented(line: &str, nested: bool) -> String {
    match (nested, line.is_empty()) {
        (false, _) => line.to_owned(),
        (true, true) => paint(DIM, NESTED),
        (true, false) => format!("{} {line}", paint(DIM, NESTED)),
    }
}
