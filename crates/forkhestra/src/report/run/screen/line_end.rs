//! The end of the output on a file, pipe or terminal: whether the last line is complete, and the
//! live line below it.

use std::io;

use super::byte_sink::ByteSink;
use super::status_line::StatusLine;
use super::terminal_cursor::TerminalCursor;

const NO_COLORS: &[u8] = b"\x1b[0m";
/// Clears the line of the cursor, and what follows it.
const CLEAR_LINE: &[u8] = b"\r\x1b[J";

/// The end of the output on one stream.
pub(crate) enum LineEnd {
    /// Output without a live line.
    Plain { at_line_start: bool },
    /// A terminal with a live line.
    Live(Box<LiveLine>),
}

/// Where output begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteTarget {
    /// Directly behind the previous output.
    Anywhere,
    /// At the start of a line.
    LineStart,
}

/// The end of the output on a terminal.
pub(crate) struct LiveLine {
    cursor: TerminalCursor,
    status: StatusLine,
    /// Whether colours of a finished program are still active.
    must_reset: bool,
}

impl LineEnd {
    /// Creates the state for a stream to which nothing was written.
    pub(crate) fn new(status: Option<StatusLine>) -> Self {
        match status {
            None => Self::Plain { at_line_start: true },
            Some(status) => Self::Live(Box::new(LiveLine {
                cursor: TerminalCursor::new(),
                status,
                must_reset: false,
            })),
        }
    }

    /// Writes bytes of an agent unchanged.
    pub(crate) fn pass(&mut self, sink: &dyn ByteSink, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain { at_line_start } => {
                *at_line_start = bytes.last().map_or(*at_line_start, |last| *last == b'\n');
                sink.write_all(bytes)
            }
            Self::Live(live) => live.pass(sink, &[bytes]),
        }
    }

    /// Whether the last line is complete.
    pub(crate) fn at_line_start(&self) -> bool {
        match self {
            Self::Plain { at_line_start } => *at_line_start,
            Self::Live(live) => live.cursor.at_line_start(),
        }
    }

    /// Writes rendered agent output, at the start of a line or behind the previous output.
    pub(crate) fn show(
        &mut self,
        sink: &dyn ByteSink,
        place: WriteTarget,
        bytes: &[u8],
    ) -> io::Result<()> {
        match (place, self.at_line_start()) {
            (WriteTarget::LineStart, true) | (WriteTarget::Anywhere, _) if bytes.is_empty() => {
                Ok(())
            }
            (WriteTarget::LineStart, true) | (WriteTarget::Anywhere, _) => self.pass(sink, bytes),
            (WriteTarget::LineStart, false) => self.pass(sink, &[b"\n", bytes].concat()),
        }
    }

    /// Lets the caller write agent bytes directly, if the stream has no live line. `put` returns
    /// the last byte it wrote, if any.
    pub(crate) fn note_passed(&mut self, put: impl FnOnce() -> Option<u8>) {
        if let Self::Plain { at_line_start } = self
            && let Some(last) = put()
        {
            *at_line_start = last == b'\n';
        }
    }

    /// Writes report lines, beginning at the start of a line.
    pub(crate) fn write_lines(&mut self, sink: &dyn ByteSink, text: &str) -> io::Result<()> {
        match self {
            Self::Plain { at_line_start } => {
                let before = if *at_line_start { "" } else { "\n" };
                *at_line_start = text.ends_with('\n');
                sink.write_all(format!("{before}{text}").as_bytes())
            }
            Self::Live(live) => live.write_lines(sink, text),
        }
    }

    /// Notes that the terminal showed the line end that a user typed.
    pub(crate) fn note_typed_line_end(&mut self) {
        match self {
            Self::Plain { at_line_start } => *at_line_start = true,
            Self::Live(live) => live.cursor.move_to_line_start(),
        }
    }

    /// Removes an unfinished line, if that is possible; otherwise the next output ends it.
    pub(crate) fn clear_unfinished_line(&mut self, sink: &dyn ByteSink) -> io::Result<()> {
        match self {
            Self::Live(live) if !live.cursor.at_line_start() => {
                live.cursor.move_to_line_start();
                sink.write_all(CLEAR_LINE)
            }
            Self::Plain { .. } | Self::Live(_) => Ok(()),
        }
    }

    /// The live line, if the stream is a terminal with one.
    pub(crate) fn live(&mut self) -> Option<&mut LiveLine> {
        match self {
            Self::Plain { .. } => None,
            Self::Live(live) => Some(live),
        }
    }
}

impl LiveLine {
    /// The live line, for changes; [`Self::refresh`] shows them.
    pub(crate) fn status(&mut self) -> &mut StatusLine {
        &mut self.status
    }

    /// Resets the cursor state of a finished program.
    pub(crate) fn release(&mut self) {
        self.must_reset |= self.cursor.is_styled;
        self.cursor.release();
    }

    /// Draws or removes the live line if it is outdated.
    pub(crate) fn refresh(&mut self, sink: &dyn ByteSink) -> io::Result<()> {
        if self.status.is_up_to_date(self.cursor.is_free()) {
            return Ok(());
        }
        self.pass(sink, &[])
    }

    fn write_lines(&mut self, sink: &dyn ByteSink, text: &str) -> io::Result<()> {
        let reset = if std::mem::take(&mut self.must_reset) { NO_COLORS } else { b"" };
        let before: &[u8] = if self.cursor.at_line_start() { b"" } else { b"\n" };
        self.pass(sink, &[reset, before, text.as_bytes()])
    }

    /// Removes the live line, writes, and draws it again if the cursor is free. A single write
    /// avoids flicker.
    fn pass(&mut self, sink: &dyn ByteSink, parts: &[&[u8]]) -> io::Result<()> {
        let mut frame = Vec::new();
        self.status.erase(&mut frame);
        for part in parts {
            frame.extend_from_slice(part);
            self.cursor.follow(part);
        }
        if self.cursor.is_free() {
            self.status.draw(&mut frame);
        }
        sink.write_all(&frame)
    }
}
