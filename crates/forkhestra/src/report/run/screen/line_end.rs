//! The last line of a file, a pipe or a terminal: whether it is finished, and what stands below it.

use std::io;

use super::byte_sink::ByteSink;
use super::status_line::StatusLine;
use super::terminal_cursor::TerminalCursor;

const NO_COLORS: &[u8] = b"\x1b[0m";

/// The end of what was written to one place.
pub(crate) enum LineEnd {
    /// Nothing but bytes.
    Plain {
        /// Whether the last line is finished.
        at_line_start: bool,
    },
    /// A terminal with a live line.
    Live(Box<LiveLine>),
}

/// Where something is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteTarget {
    /// Where the last thing ended.
    Anywhere,
    /// At the start of a line.
    LineStart,
}

/// The end of what was written to a terminal.
pub(crate) struct LiveLine {
    cursor: TerminalCursor,
    status: StatusLine,
    /// Whether the colours of a program that is gone are still on.
    must_reset: bool,
}

impl LineEnd {
    /// The start of an empty file, or close enough to it.
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

    /// Writes what an agent printed, as it is.
    pub(crate) fn pass(&mut self, sink: &dyn ByteSink, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain { at_line_start } => {
                *at_line_start = bytes.last().map_or(*at_line_start, |last| *last == b'\n');
                sink.write_all(bytes)
            }
            Self::Live(live) => live.pass(sink, &[bytes]),
        }
    }

    /// Writes what is shown of an agent, from the start of a line or where the last one ended.
    pub(crate) fn show(
        &mut self,
        sink: &dyn ByteSink,
        place: WriteTarget,
        bytes: &[u8],
    ) -> io::Result<()> {
        let at_line_start = match self {
            Self::Plain { at_line_start } => *at_line_start,
            Self::Live(live) => live.cursor.at_line_start(),
        };
        match (place, at_line_start) {
            (WriteTarget::LineStart, true) | (WriteTarget::Anywhere, _) if bytes.is_empty() => {
                Ok(())
            }
            (WriteTarget::LineStart, true) | (WriteTarget::Anywhere, _) => self.pass(sink, bytes),
            (WriteTarget::LineStart, false) => self.pass(sink, &[b"\n", bytes].concat()),
        }
    }

    /// Has bytes of an agent put there otherwise, if nothing but bytes is there. Whoever puts them
    /// says which was the last one.
    pub(crate) fn note_passed(&mut self, put: impl FnOnce() -> Option<u8>) {
        if let Self::Plain { at_line_start } = self
            && let Some(last) = put()
        {
            *at_line_start = last == b'\n';
        }
    }

    /// Writes lines of ours, from the start of a line.
    pub(crate) fn say(&mut self, sink: &dyn ByteSink, text: &str) -> io::Result<()> {
        match self {
            Self::Plain { at_line_start } => {
                let before = if *at_line_start { "" } else { "\n" };
                *at_line_start = text.ends_with('\n');
                sink.write_all(format!("{before}{text}").as_bytes())
            }
            Self::Live(live) => live.say(sink, text),
        }
    }

    /// Tells the terminal's part from the rest.
    pub(crate) fn live(&mut self) -> Option<&mut LiveLine> {
        match self {
            Self::Plain { .. } => None,
            Self::Live(live) => Some(live),
        }
    }
}

impl LiveLine {
    /// The live line itself, to be changed; [`Self::refresh`] shows the change.
    pub(crate) fn status(&mut self) -> &mut StatusLine {
        &mut self.status
    }

    /// Forgets what the last program did to the terminal, since it is gone.
    pub(crate) fn release(&mut self) {
        self.must_reset |= self.cursor.is_styled;
        self.cursor.release();
    }

    /// Draws or removes the live line, if it is not as it should be.
    pub(crate) fn refresh(&mut self, sink: &dyn ByteSink) -> io::Result<()> {
        if self.status.is_up_to_date(self.cursor.is_free()) {
            return Ok(());
        }
        self.pass(sink, &[])
    }

    fn say(&mut self, sink: &dyn ByteSink, text: &str) -> io::Result<()> {
        let reset = if std::mem::take(&mut self.must_reset) { NO_COLORS } else { b"" };
        let before: &[u8] = if self.cursor.at_line_start() { b"" } else { b"\n" };
        self.pass(sink, &[reset, before, text.as_bytes()])
    }

    /// Removes the live line, writes, and draws it again where it may be: all with one write, so
    /// that nobody sees it go.
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
