//! Control sequences of terminals, which start with an escape character.

pub(super) const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// The maximum length of a sequence, so that an unterminated one cannot hide the rest.
pub(super) const MAX_SEQUENCE: usize = 4096;

/// What follows an escape character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeSequence {
    /// A change of colour or style of this length.
    Color(usize),
    /// Another control sequence of this length.
    Other(usize),
    /// The beginning of an incomplete sequence.
    Cut,
    /// Not a sequence.
    None,
}

/// Classifies the sequence at the start of these bytes.
pub(super) fn measure(bytes: &[u8]) -> EscapeSequence {
    let window = &bytes[..bytes.len().min(MAX_SEQUENCE)];
    let found = match window.get(1) {
        None => EscapeSequence::Cut,
        Some(b'[') => control(window),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => text(window),
        Some(_) => short(window),
    };
    if found == EscapeSequence::Cut && window.len() == MAX_SEQUENCE {
        EscapeSequence::None
    } else {
        found
    }
}

/// A CSI sequence: parameters and a final byte.
fn control(bytes: &[u8]) -> EscapeSequence {
    let is_parameter = |byte: &u8| matches!(byte, 0x20..=0x3f);
    let end = 2 + bytes[2..].iter().take_while(|byte| is_parameter(byte)).count();
    let is_style = |byte: &u8| matches!(byte, b'0'..=b'9' | b';' | b':');
    match bytes.get(end) {
        None => EscapeSequence::Cut,
        Some(b'm') if bytes[2..end].iter().all(is_style) => EscapeSequence::Color(end + 1),
        Some(0x40..=0x7e) => EscapeSequence::Other(end + 1),
        Some(_) => EscapeSequence::None,
    }
}

/// An OSC or similar sequence, such as a title or a link. It contains no line break.
fn text(bytes: &[u8]) -> EscapeSequence {
    let is_end = |byte: &u8| matches!(*byte, BELL | ESCAPE | b'\n' | 0x18 | 0x1a);
    let Some(end) = bytes[2..].iter().position(is_end).map(|index| index + 2) else {
        return EscapeSequence::Cut;
    };
    match (bytes[end], bytes.get(end + 1)) {
        (BELL, _) => EscapeSequence::Other(end + 1),
        (ESCAPE, Some(b'\\')) => EscapeSequence::Other(end + 2),
        (ESCAPE, None) => EscapeSequence::Cut,
        _ => EscapeSequence::None,
    }
}

/// All others, such as the selection of a character set or saving the cursor.
fn short(bytes: &[u8]) -> EscapeSequence {
    let between = bytes[1..].iter().take_while(|byte| matches!(byte, 0x20..=0x2f)).count();
    match bytes.get(1 + between) {
        None => EscapeSequence::Cut,
        Some(0x30..=0x7e) => EscapeSequence::Other(between + 2),
        Some(_) => EscapeSequence::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_end_where_a_terminal_ends_them() {
        use EscapeSequence::{Color, Cut, None, Other};
        for (text, expected) in [
            ("\x1b[mx", Color(3)),
            ("\x1b[1;31mx", Color(7)),
            ("\x1b[38:2::1:2:3mx", Color(14)),
            // These end like colours but are none.
            ("\x1b[>4;2m", Other(7)),
            ("\x1b[?4m", Other(5)),
            ("\x1b[1 m", Other(5)),
            ("\x1b[2J", Other(4)),
            ("\x1b[?1049h", Other(8)),
            ("\x1b[12;40H", Other(8)),
            ("\x1b]0;title\x07x", Other(10)),
            ("\x1b]8;;https://example.org\x1b\\link", Other(26)),
            ("\x1bP1$r0m\x1b\\", Other(9)),
            ("\x1b_data\x1b\\", Other(8)),
            ("\x1bc", Other(2)),
            ("\x1b7x", Other(2)),
            ("\x1b(Bx", Other(3)),
            ("\x1b", Cut),
            ("\x1b[", Cut),
            ("\x1b[31", Cut),
            ("\x1b]0;half a title", Cut),
            ("\x1b]0;title\x1b", Cut),
            ("\x1b(", Cut),
            ("\x1b\n", None),
            ("\x1b\x1b[m", None),
            ("\x1b[31\n", None),
            ("\x1b[3\u{e4}m", None),
            ("\x1b]0;two\nlines\x07", None),
            ("\x1b]0;title\x1b[m", None),
        ] {
            assert_eq!(measure(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn what_never_ends_is_no_sequence() {
        for opening in ["\x1b]0;", "\x1b[", "\x1bP", "\x1b("] {
            let filler = if opening == "\x1b(" { " " } else { "1" };
            let endless = opening.to_owned() + &filler.repeat(MAX_SEQUENCE);
            assert_eq!(
                measure(&endless.as_bytes()[..MAX_SEQUENCE - 1]),
                EscapeSequence::Cut,
                "{opening:?}"
            );
            assert_eq!(measure(endless.as_bytes()), EscapeSequence::None, "{opening:?}");
        }
    }
}
