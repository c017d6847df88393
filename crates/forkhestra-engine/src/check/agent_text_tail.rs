//! The tail of an agent's text.

use std::io;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_core::scan::without_codes;

use super::agent_text::{AgentTextSink, backend, extract_text};
use crate::aux_job::aux_job_command::AuxJobContext;
use crate::output::OutputTail;

/// The maximum size of the tail.
const MOST: usize = 64 * 1024;

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
    place: &AuxJobContext<'_>,
) -> io::Result<AgentTextTail> {
    let Some(printed) = place.logs.read_output(unit, OutputStream::Stdout)? else {
        return Ok(AgentTextTail::default());
    };
    let backend = backend(&place.step(unit.step).agent.kind);
    match extract_text(printed, backend, || OutputTail::new(MOST)) {
        Ok(kept) => Ok(tail(&kept)),
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
    let surplus = text.ceil_char_boundary(text.len().saturating_sub(MOST));
    text.drain(..surplus);
    AgentTextTail { text, is_cut: kept.is_cut() || surplus > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(pieces: &[&[u8]]) -> AgentTextTail {
        let mut kept = OutputTail::new(MOST);
        pieces.iter().for_each(|piece| kept.write_text(piece));
        tail(&kept)
    }

    #[test]
    fn a_short_text_is_told_as_a_person_would_see_it() {
        let tail = last(&[b"\x1b[3", b"2mgreen\x1b[0m\r\n", b"\xff\n"]);
        assert_eq!(tail, AgentTextTail { text: "green\r\n\u{fffd}\n".to_owned(), is_cut: false });
    }

    #[test]
    fn of_a_long_text_the_end_is_told() {
        let long = "é".repeat(MOST);
        let tail = last(&[long.as_bytes(), b"!"]);
        assert!(tail.is_cut);
        assert!(tail.text.len() <= MOST && tail.text.ends_with("é!"), "{}", tail.text.len());
        let tail = last(&[&vec![0xff; MOST]]);
        assert!(tail.is_cut && tail.text.len() <= MOST, "{}", tail.text.len());
    }
}
