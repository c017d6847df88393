//! Rendered events and the text they accumulate to.

/// What to show for one event. Texts contain colours; the printer strips them where colours are
/// off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RenderedEvent {
    Nothing,
    /// Ends the last line if it is open.
    EndOfLine,
    /// Text that continues the previous text.
    More(String),
    /// Text that begins on its own line and may leave it open.
    Lines(String),
}

/// Accumulates rendered events for output in one piece.
#[derive(Debug)]
pub(crate) struct RenderedText {
    bytes: Vec<u8>,
    at_line_start: bool,
}

impl RenderedText {
    /// Creates an empty text at the start of a line.
    pub(crate) const fn new() -> Self {
        Self { bytes: Vec::new(), at_line_start: true }
    }

    /// Appends a rendered event. `text` converts it to printable bytes.
    pub(crate) fn put(&mut self, rendering: &RenderedEvent, text: impl Fn(&str) -> Vec<u8>) {
        match rendering {
            RenderedEvent::Nothing => {}
            RenderedEvent::EndOfLine => self.end_line(),
            RenderedEvent::More(more) => self.add(more.ends_with('\n'), &text(more)),
            RenderedEvent::Lines(lines) => {
                self.end_line();
                self.add(lines.ends_with('\n'), &text(lines));
            }
        }
    }

    /// Whether the last line is complete.
    pub(crate) const fn at_line_start(&self) -> bool {
        self.at_line_start
    }

    /// Returns and clears the accumulated bytes.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    fn end_line(&mut self) {
        if !self.at_line_start {
            self.bytes.push(b'\n');
            self.at_line_start = true;
        }
    }

    fn add(&mut self, ends_line: bool, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.bytes.extend_from_slice(bytes);
            self.at_line_start = ends_line;
        }
    }
}
