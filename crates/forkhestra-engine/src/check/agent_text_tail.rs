//! The tail of an agent's text.

use std::io;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::AgentKind;
use forkhestra_core::scan::without_codes;

use super::agent_text::{AgentTextSink, backend, extract_text};
use crate::aux_job::aux_job_command::AuxJobContext;
use crate::output::OutputTail;
use crate::ports::OutputLogs;

/// The maximum size of the tail.
const MAX_TAIL_BYTES: usize = 64 * 1024;

/// The tail of an agent's text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AgentTextTail {
    pub(super) text: String,
    /// Whether the text is longer.
    pub(super) is_cut: bool,
}

/// Reads the tail of an agent's text, as far as it is stored.
pub(super) fn read_agent_text_tail(
    unit: UnitId,
    context: &AuxJobContext<'_>,
) -> io::Result<AgentTextTail> {
    let kind = &context.step(unit.step).agent.kind;
    read_tail(unit, kind, context.logs, || OutputTail::new(MAX_TAIL_BYTES))
}

/// The tail of the last message.
struct LastMessageTail(OutputTail);

impl LastMessageTail {
    const fn new() -> Self {
        Self(OutputTail::new(MAX_TAIL_BYTES))
    }
}

impl AgentTextSink for LastMessageTail {
    fn write_text(&mut self, bytes: &[u8]) {
        self.0.keep(bytes);
    }

    fn begin_message(&mut self) {
        *self = Self::new();
    }
}

impl From<LastMessageTail> for OutputTail {
    fn from(message: LastMessageTail) -> Self {
        message.0
    }
}

/// The end of an agent's last message, or of the output of a program, as far as it can be read.
pub(crate) fn read_closing_text(unit: UnitId, kind: &AgentKind, logs: &dyn OutputLogs) -> String {
    read_tail(unit, kind, logs, LastMessageTail::new).unwrap_or_default().text
}

fn read_tail<H: AgentTextSink + Into<OutputTail>>(
    unit: UnitId,
    kind: &AgentKind,
    logs: &dyn OutputLogs,
    new: impl Fn() -> H,
) -> io::Result<AgentTextTail> {
    let Some(printed) = logs.read_output(unit, OutputStream::Stdout)? else {
        return Ok(AgentTextTail::default());
    };
    match extract_text(printed, backend(kind), new) {
        Ok(kept) => Ok(tail(&kept.into())),
        // The log may have been removed, and most checks do not need it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(AgentTextTail::default()),
        Err(error) => Err(error),
    }
}

impl AgentTextSink for OutputTail {
    fn write_text(&mut self, bytes: &[u8]) {
        self.keep(bytes);
    }
}

/// The kept text without terminal codes.
fn tail(kept: &OutputTail) -> AgentTextTail {
    let lines = kept.bytes().split_inclusive(|byte| *byte == b'\n');
    let mut text: String =
        lines.map(|line| String::from_utf8_lossy(&without_codes(line)).into_owned()).collect();
    // Replacement characters may be longer than the invalid bytes.
    let excess = text.ceil_char_boundary(text.len().saturating_sub(MAX_TAIL_BYTES));
    text.drain(..excess);
    AgentTextTail { text, is_cut: kept.is_cut() || excess > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(pieces: &[&[u8]]) -> AgentTextTail {
        let mut kept = OutputTail::new(MAX_TAIL_BYTES);
        pieces.iter().for_each(|piece| kept.write_text(piece));
        tail(&kept)
    }

    #[test]
    fn a_short_text_is_reported_whole() {
        let tail = last(&[b"\x1b[3", b"2mgreen\x1b[0m\r\n", b"\xff\n"]);
        assert_eq!(tail, AgentTextTail { text: "green\r\n\u{fffd}\n".to_owned(), is_cut: false });
    }

    #[test]
    fn a_long_text_is_reported_by_its_tail() {
        let long = "é".repeat(MAX_TAIL_BYTES);
        let tail = last(&[long.as_bytes(), b"!"]);
        assert!(tail.is_cut);
        assert!(
            tail.text.len() <= MAX_TAIL_BYTES && tail.text.ends_with("é!"),
            "{}",
            tail.text.len()
        );
        let tail = last(&[&vec![0xff; MAX_TAIL_BYTES]]);
        assert!(tail.is_cut && tail.text.len() <= MAX_TAIL_BYTES, "{}", tail.text.len());
    }
}
