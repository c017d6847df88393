//! Lines that are typed at a terminal.

/// Length of the longest line that a terminal collects, without its end. Linux drops the rest of a
/// longer line without a word, so a line of this length may have lost its end.
pub(super) const MAX_LINE_BYTES: usize = 4095;

/// Collects what is typed until a line is complete.
#[derive(Debug, Default)]
pub(super) struct TypedLines {
    bytes: Vec<u8>,
    /// The line that is being typed has reached the limit, and its beginning is dropped.
    is_cut_off: bool,
}

/// A line that is complete.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TypedLine {
    /// All that was typed, without the end of the line.
    Whole(String),
    /// The line reached the limit. No part of it is taken.
    CutOff,
}

impl TypedLines {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Discards what was typed.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes the next complete line.
    pub(super) fn next_line(&mut self) -> Option<TypedLine> {
        let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') else {
            if self.bytes.len() >= MAX_LINE_BYTES {
                self.is_cut_off = true;
                self.bytes.clear();
            }
            return None;
        };
        let line: Vec<u8> = self.bytes.drain(..=end).take(end).collect();
        let is_cut_off = std::mem::take(&mut self.is_cut_off) || end >= MAX_LINE_BYTES;
        Some(match is_cut_off {
            true => TypedLine::CutOff,
            false => TypedLine::Whole(String::from_utf8_lossy(&line).into_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of input that arrives in pieces of this size.
    fn lines(input: &[u8], piece: usize) -> Vec<TypedLine> {
        let mut typed = TypedLines::default();
        let mut lines = Vec::new();
        for bytes in input.chunks(piece) {
            typed.push(bytes);
            lines.extend(std::iter::from_fn(|| typed.next_line()));
        }
        lines
    }

    fn whole(text: &str) -> TypedLine {
        TypedLine::Whole(text.to_owned())
    }

    #[test]
    fn lines_are_taken_when_they_are_complete() {
        for piece in [1, 2, 100] {
            assert_eq!(lines(b"a\n\nd\nc", piece), [whole("a"), whole(""), whole("d")]);
        }
    }

    /// The end of a long line is no line of its own, wherever the input is divided.
    #[test]
    fn no_part_of_a_line_that_reaches_the_limit_is_taken() {
        for length in [MAX_LINE_BYTES, MAX_LINE_BYTES + 1, 64 * 1024, 64 * 1024 + 1] {
            for piece in [1, 7, 4095, 4096, 65_537, 300_000] {
                let mut input = vec![b'x'; length - 1];
                input.extend_from_slice(b"a\na\n");
                assert_eq!(
                    lines(&input, piece),
                    [TypedLine::CutOff, whole("a")],
                    "{length} bytes in pieces of {piece}"
                );
            }
        }
        let long = "x".repeat(MAX_LINE_BYTES - 1);
        assert_eq!(lines(format!("{long}\n").as_bytes(), 4096), [whole(&long)]);
    }

    /// After the input was discarded, what follows belongs to no earlier line.
    #[test]
    fn a_discarded_line_does_not_affect_the_next_one() {
        let mut typed = TypedLines::default();
        typed.push(&[b'x'; MAX_LINE_BYTES]);
        assert_eq!(typed.next_line(), None);
        typed.clear();
        typed.push(b"a\n");
        assert_eq!(typed.next_line(), Some(whole("a")));
    }
}
