//! Tracks the terminal cursor behind the output of agents.

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// Tracks the bytes sent to a terminal, only to know whether a report line would stand alone and
/// disturb no agent output.
#[derive(Debug)]
pub(crate) struct TerminalCursor {
    at_line_start: bool,
    /// Whether the cursor was moved in a way that is not tracked.
    is_elsewhere: bool,
    /// Whether colours were left active.
    pub(crate) is_styled: bool,
    sequence: CursorSequence,
}

/// The control sequence that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CursorSequence {
    None,
    Escape,
    /// The byte that selects a character set.
    CharacterSet,
    /// Parameters up to the final byte.
    Control {
        only_zeros: bool,
    },
    /// A text for the terminal itself, such as a title or a link.
    Text,
}

impl TerminalCursor {
    /// Creates a cursor at the start of an empty line.
    pub(crate) const fn new() -> Self {
        Self {
            at_line_start: true,
            is_elsewhere: false,
            is_styled: false,
            sequence: CursorSequence::None,
        }
    }

    /// Whether the last line is complete.
    pub(crate) const fn at_line_start(&self) -> bool {
        self.at_line_start
    }

    /// Whether a report line would disturb nothing. A program that moves the cursor draws its own
    /// screen.
    pub(crate) fn is_free(&self) -> bool {
        self.at_line_start && !self.is_elsewhere && self.sequence == CursorSequence::None
    }

    /// Notes that the terminal moved the cursor to the start of an empty line by itself.
    pub(crate) fn move_to_line_start(&mut self) {
        self.at_line_start = true;
    }

    /// Resets the effects of a finished program.
    pub(crate) fn release(&mut self) {
        *self = Self { at_line_start: self.at_line_start, ..Self::new() };
    }

    /// Tracks more bytes.
    pub(crate) fn follow(&mut self, bytes: &[u8]) {
        if self.sequence == CursorSequence::None && !bytes.contains(&ESCAPE) {
            self.at_line_start = bytes.last().map_or(self.at_line_start, |last| *last == b'\n');
            return;
        }
        for byte in bytes {
            self.sequence = self.next(*byte);
        }
    }

    fn next(&mut self, byte: u8) -> CursorSequence {
        match (self.sequence, byte) {
            (_, ESCAPE) => CursorSequence::Escape,
            (CursorSequence::None, byte) => {
                self.at_line_start = byte == b'\n';
                CursorSequence::None
            }
            (CursorSequence::Escape, b'[') => CursorSequence::Control { only_zeros: true },
            (CursorSequence::Escape, b']' | b'P' | b'X' | b'^' | b'_') => CursorSequence::Text,
            (CursorSequence::Escape, b'('..=b'+') => CursorSequence::CharacterSet,
            // String terminator.
            (CursorSequence::Escape, b'\\') | (CursorSequence::CharacterSet, _) => {
                CursorSequence::None
            }
            (CursorSequence::Escape, _) => self.lost(),
            (CursorSequence::Control { only_zeros }, 0x20..=0x3f) => {
                CursorSequence::Control { only_zeros: only_zeros && matches!(byte, b'0' | b';') }
            }
            (CursorSequence::Control { only_zeros }, b'm') => {
                self.is_styled = !only_zeros;
                CursorSequence::None
            }
            // Erasing the rest of a line moves no cursor; many programs do it after each colour.
            // With a background colour it paints the rest of the line.
            (CursorSequence::Control { .. }, b'K') => {
                self.at_line_start &= !self.is_styled;
                CursorSequence::None
            }
            (CursorSequence::Control { .. }, _) => self.lost(),
            (CursorSequence::Text, BELL) => CursorSequence::None,
            (CursorSequence::Text, _) => CursorSequence::Text,
        }
    }

    fn lost(&mut self) -> CursorSequence {
        self.is_elsewhere = true;
        CursorSequence::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(chunks: &[&str]) -> TerminalCursor {
        let mut cursor = TerminalCursor::new();
        chunks.iter().for_each(|chunk| cursor.follow(chunk.as_bytes()));
        cursor
    }

    #[test]
    fn the_cursor_is_free_only_after_whole_lines_without_cursor_control() {
        for (text, free) in [
            ("", true),
            ("a\n", true),
            ("a\nb", false),
            ("50%\r", false),
            ("\x1b[31mred\n", true),
            ("red\n\x1b[0m", true),
            ("\x1b[01;31m\x1b[Kmatch\x1b[m\x1b[K\n", true),
            ("\x1b[44m\x1b[K", false),
            ("\x1b(B\x1b[m\n", true),
            ("\x1b]0;title\x07\n", true),
            ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\\n", true),
            ("\n\x1b[", false),
            ("\n\x1b]0;half a title", false),
            ("\x1b[2A\n", false),
            ("\x1b[?1049h\n", false),
            ("\x1b7\n", false),
        ] {
            assert_eq!(after(&[text]).is_free(), free, "{text:?}");
            let bytes: Vec<&str> = text.split_inclusive(|_: char| true).collect();
            assert_eq!(after(&bytes).is_free(), free, "{text:?} byte by byte");
        }
    }

    #[test]
    fn colours_that_are_left_on_are_known() {
        for (text, styled) in [
            ("plain", false),
            ("\x1b[31mred", true),
            ("\x1b[31mred\x1b[0m", false),
            ("\x1b[1mbold\x1b[m", false),
            ("\x1b[0;1mbold", true),
        ] {
            assert_eq!(after(&[text]).is_styled, styled, "{text:?}");
        }
    }

    #[test]
    fn releasing_the_cursor_makes_it_free() {
        let mut cursor = after(&["\x1b[2A\n"]);
        cursor.release();
        assert!(cursor.is_free());
    }
}
