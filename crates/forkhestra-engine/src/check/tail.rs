//! The end of what an agent said.

use std::io;

use forkhestra_core::id::UnitId;
use forkhestra_core::output_stream::OutputStream;
use forkhestra_core::scan::without_codes;

use super::said::{Hear, backend, listen};
use crate::errand_command::Place;

/// So much of it is told.
const MOST: usize = 64 * 1024;

/// The end of what an agent said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) text: String,
    /// Whether it said more than that.
    pub(super) is_cut: bool,
}

/// Reads the end of what an agent said, as far as it is kept.
pub(super) fn tail(unit: UnitId, place: &Place<'_>) -> io::Result<Tail> {
    let Some(printed) = place.logs.recall(unit, OutputStream::Stdout)? else {
        return Ok(Tail::default());
    };
    let backend = backend(&place.step(unit.step).agent.kind);
    match listen(printed, backend, Last::default) {
        Ok(last) => Ok(last.tail()),
        // Somebody may have removed it, and most checks do not ask for it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Tail::default()),
        Err(error) => Err(error),
    }
}

/// Remembers the last bytes.
#[derive(Debug, Default)]
struct Last {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Hear for Last {
    fn hear(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Not for every few bytes.
        if self.bytes.len() > 2 * MOST {
            self.cut();
        }
    }
}

impl Last {
    fn cut(&mut self) {
        let surplus = self.bytes.len().saturating_sub(MOST);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }

    fn tail(mut self) -> Tail {
        self.cut();
        let lines: Vec<String> = self
            .bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| String::from_utf8_lossy(&without_codes(line)).into_owned())
            .collect();
        let mut text = lines.concat();
        // What stands for bytes that are no text may be longer than these.
        let surplus = text.ceil_char_boundary(text.len().saturating_sub(MOST));
        text.drain(..surplus);
        Tail { text, is_cut: self.is_cut || surplus > 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(pieces: &[&[u8]]) -> Tail {
        let mut last = Last::default();
        pieces.iter().for_each(|piece| last.hear(piece));
        last.tail()
    }

    #[test]
    fn a_short_text_is_told_as_a_person_would_see_it() {
        let tail = last(&[b"\x1b[3", b"2mgreen\x1b[0m\r\n", b"\xff\n"]);
        assert_eq!(tail, Tail { text: "green\r\n\u{fffd}\n".to_owned(), is_cut: false });
    }

    #[test]
    fn of_a_long_text_the_end_is_told() {
        let long = "é".repeat(MOST);
        let tail = last(&[long.as_bytes(), b"!"]);
        assert!(tail.is_cut);
        assert!(tail.text.len() <= MOST && tail.text.ends_with("é!"), "{}", tail.text.len());
        let tail = last(&[&vec![0xff; MOST]]);
        assert!(tail.is_cut && tail.text.len() <= MOST, "{}", tail.text.len());
        let pieces: Vec<&[u8]> = std::iter::repeat_n(b"0123456789".as_slice(), 100_000).collect();
        let mut memory = Last::default();
        pieces.iter().for_each(|piece| memory.hear(piece));
        assert!(memory.bytes.capacity() <= 4 * MOST, "{}", memory.bytes.capacity());
    }
}
