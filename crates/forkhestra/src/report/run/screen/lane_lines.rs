//! The lines of an agent in a lane. Output of several agents is shown by lines, so a line is held
//! until its end, or for a moment if its end does not come.

use std::mem;
use std::time::Duration;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::LaneNumber;
use forkhestra_core::time::Timestamp;

use crate::report::agent::{AgentEventRenderer, RenderedEvent, SanitizedText, ToolRules};
use crate::report::plan::dry_run::Verbosity;

/// How long the beginning of a line is held.
const HOLD_TIME: Duration = Duration::from_millis(200);

/// The lines of the agents of a lane, on both streams.
pub(super) struct LaneLines {
    /// Renders agents whose streams are parsed.
    pub(super) renderer: AgentEventRenderer,
    pub(super) stdout: LineBuffer,
    pub(super) stderr: LineBuffer,
}

/// Complete lines of a stream, and the beginning of the next one.
pub(super) struct LineBuffer {
    text: SanitizedText,
    /// The beginning of a line.
    line: String,
    /// When it arrived.
    since: Option<Timestamp>,
}

impl LaneLines {
    pub(super) fn new(detail: Verbosity, keeps_colors: bool) -> Self {
        Self {
            renderer: AgentEventRenderer::new(detail),
            stdout: LineBuffer::new(keeps_colors),
            stderr: LineBuffer::new(false),
        }
    }

    /// The lines of a stream.
    pub(super) const fn buffer(&mut self, stream: OutputStream) -> &mut LineBuffer {
        match stream {
            OutputStream::Stdout => &mut self.stdout,
            OutputStream::Stderr => &mut self.stderr,
        }
    }

    /// Sets the tool rules of the agent that begins.
    pub(super) fn agent_begins(&mut self, rules: ToolRules) {
        self.renderer.agent_begins(rules);
    }
}

impl LineBuffer {
    fn new(keeps_colors: bool) -> Self {
        Self { text: SanitizedText::new(keeps_colors), line: String::new(), since: None }
    }

    /// Takes bytes of a program, and returns the lines that are complete.
    pub(super) fn feed(&mut self, bytes: &[u8], now: Timestamp) -> Vec<String> {
        let text = self.text.feed(bytes);
        self.push(&text, now)
    }

    /// Takes a rendered event of an agent.
    pub(super) fn show(&mut self, rendered: &RenderedEvent, now: Timestamp) -> Vec<String> {
        match rendered {
            RenderedEvent::Nothing => Vec::new(),
            RenderedEvent::EndOfLine => self.end_line(),
            RenderedEvent::More(more) => self.push(more, now),
            RenderedEvent::Lines(lines) => {
                let before = self.end_line();
                before.into_iter().chain(self.push(lines, now)).collect()
            }
        }
    }

    /// The beginning of a line that was held long enough.
    pub(super) fn take_overdue(&mut self, now: Timestamp) -> Vec<String> {
        let is_overdue = self.since.is_some_and(|since| now.saturating_since(since) >= HOLD_TIME);
        if is_overdue { self.end_line() } else { Vec::new() }
    }

    /// Everything that is held back: the agent has ended.
    pub(super) fn finish(&mut self, now: Timestamp) -> Vec<String> {
        let rest = self.text.finish();
        let lines = self.push(&rest, now);
        lines.into_iter().chain(self.end_line()).collect()
    }

    fn push(&mut self, text: &str, now: Timestamp) -> Vec<String> {
        let mut lines = Vec::new();
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece.strip_suffix('\n').unwrap_or(piece));
            if piece.ends_with('\n') {
                lines.push(mem::take(&mut self.line));
                self.since = None;
            }
        }
        if !self.line.is_empty() {
            self.since = self.since.or(Some(now));
        }
        lines
    }

    fn end_line(&mut self) -> Vec<String> {
        self.since = None;
        let line = mem::take(&mut self.line);
        if line.is_empty() { Vec::new() } else { vec![line] }
    }
}

/// Lines behind the number of their lane.
pub(super) fn labelled(lane: LaneNumber, lines: &[String]) -> String {
    lines.iter().map(|line| format!("{lane} \u{2502} {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: i64) -> Timestamp {
        Timestamp::from_milliseconds(milliseconds)
    }

    #[test]
    fn a_line_is_held_until_its_end_or_for_a_moment() {
        let mut buffer = LineBuffer::new(false);
        assert_eq!(buffer.feed(b"one\ntwo", at(0)), ["one"]);
        assert_eq!(buffer.take_overdue(at(199)), [""; 0]);
        assert_eq!(buffer.feed(b" goes on\nthree", at(100)), ["two goes on"]);
        assert_eq!(buffer.take_overdue(at(200)), [""; 0], "the third line arrived at 100");
        assert_eq!(buffer.take_overdue(at(300)), ["three"]);
        assert_eq!(buffer.take_overdue(at(900)), [""; 0]);
        assert_eq!(buffer.feed(b"four", at(900)), [""; 0]);
        assert_eq!(buffer.finish(at(900)), ["four"]);
    }

    #[test]
    fn nothing_that_a_terminal_would_execute_is_shown() {
        let mut buffer = LineBuffer::new(false);
        let lines = buffer.feed(b"\x1b[2J\x1b]0;title\x07one\rtwo\n[forkhestra] Paused\n", at(0));
        let shown = labelled(LaneNumber::from_index(1).expect("it is a lane"), &lines);
        assert!(!shown.contains(['\x1b', '\r', '\x07']), "{shown:?}");
        assert!(shown.lines().all(|line| line.starts_with("2 \u{2502} ")), "{shown:?}");
    }
}
