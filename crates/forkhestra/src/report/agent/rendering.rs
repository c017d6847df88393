//! What is to be shown of an event, and how a sheet fills with it.

/// What is to be shown of one event. Texts have colours; who prints them drops those where they are
/// not wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RenderedEvent<'a> {
    /// Nothing.
    Nothing,
    /// An end to the last line, if it has none.
    EndOfLine,
    /// A text that goes on where the last one ended.
    More(String),
    /// A text that begins on a line of its own, and need not end there.
    Lines(String),
    /// Bytes of the agent as they are, on a line of their own.
    Bytes(&'a [u8]),
}

/// What was shown one after the other, for those who show it all at once.
#[derive(Debug)]
pub(crate) struct RenderedText {
    bytes: Vec<u8>,
    at_line_start: bool,
}

impl RenderedText {
    /// An empty sheet.
    pub(crate) const fn new() -> Self {
        Self { bytes: Vec::new(), at_line_start: true }
    }

    /// Adds what is to be shown. Texts and bytes of agents are first made into what may be printed.
    pub(crate) fn put(
        &mut self,
        rendering: &RenderedEvent<'_>,
        text: impl Fn(&str) -> Vec<u8>,
        bytes: impl FnOnce(&[u8]) -> Vec<u8>,
    ) {
        match rendering {
            RenderedEvent::Nothing => {}
            RenderedEvent::EndOfLine => self.end_line(),
            RenderedEvent::More(more) => self.add(more.ends_with('\n'), &text(more)),
            RenderedEvent::Lines(lines) => {
                self.end_line();
                self.add(lines.ends_with('\n'), &text(lines));
            }
            RenderedEvent::Bytes(plain) => {
                self.end_line();
                self.add(plain.ends_with(b"\n"), &bytes(plain));
            }
        }
    }

    /// Adds bytes that may be printed, behind what is there.
    pub(crate) fn add_hidden(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether its last line is finished.
    pub(crate) const fn at_line_start(&self) -> bool {
        self.at_line_start
    }

    /// What was added since this was last asked.
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
