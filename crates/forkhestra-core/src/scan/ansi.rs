//! Escape codes of terminals.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

pub(super) const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// The line without escape codes.
pub fn strip(line: &[u8]) -> Cow<'_, [u8]> {
    let Some(mut at) = memchr(ESCAPE, line) else {
        return Cow::Borrowed(line);
    };
    let mut shown = Vec::with_capacity(line.len());
    let mut rest = line;
    loop {
        let (text, code) = rest.split_at(at);
        shown.extend_from_slice(text);
        rest = if let Some(length) = code_length(code) {
            &code[length..]
        } else {
            shown.push(ESCAPE);
            &code[1..]
        };
        let Some(next) = memchr(ESCAPE, rest) else {
            break;
        };
        at = next;
    }
    shown.extend_from_slice(rest);
    Cow::Owned(shown)
}

/// The length of the code at the beginning of bytes that start with [`ESCAPE`]. A truncated or
/// malformed code counts as text.
pub(super) fn code_length(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'[' => control_sequence(bytes),
        b']' => command_string(bytes, Some(BELL)),
        b'P' | b'X' | b'^' | b'_' => command_string(bytes, None),
        b' '..=b'/' => {
            let last = 1 + run(&bytes[1..], |byte| matches!(byte, b' '..=b'/'));
            matches!(bytes.get(last)?, b'0'..=b'~').then_some(last + 1)
        }
        b'0'..=b'~' => Some(2),
        _ => None,
    }
}

/// `ESC [ parameters final`, such as a colour.
fn control_sequence(bytes: &[u8]) -> Option<usize> {
    let parameters = 2 + run(&bytes[2..], |byte| matches!(byte, b'0'..=b'?'));
    let last = parameters + run(&bytes[parameters..], |byte| matches!(byte, b' '..=b'/'));
    matches!(bytes.get(last)?, b'@'..=b'~').then_some(last + 1)
}

/// `ESC ] text ESC \`, such as a window title or a link; a bell may end it as well.
fn command_string(bytes: &[u8], other_end: Option<u8>) -> Option<usize> {
    let end = 2 + memchr2(ESCAPE, other_end.unwrap_or(ESCAPE), &bytes[2..])?;
    match (bytes[end], bytes.get(end + 1)) {
        (ESCAPE, Some(b'\\')) => Some(end + 2),
        (ESCAPE, _) => None,
        _ => Some(end + 1),
    }
}

fn run(bytes: &[u8], belongs: fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| belongs(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_invisible_characters_are_removed() {
        let table: [(&str, &str); 18] = [
            ("plain", "plain"),
            ("\x1b[1;32mgreen\x1b[0m", "green"),
            ("\x1b[38:2::1:2:3mtrue\x1b[m colour", "true colour"),
            ("\x1b[?25lhidden cursor\x1b[?25h", "hidden cursor"),
            ("\x1b[2 qcursor shape", "cursor shape"),
            ("\x1b(B\x1b[mas tput writes it", "as tput writes it"),
            ("\x1b]0;title\x07text", "text"),
            ("\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1bPdevice\x07 control\x1b\\text", "text"),
            ("\x1b7saved\x1b8", "saved"),
            ("\x1bMup", "up"),
            ("\x1b[12", "\x1b[12"),
            ("\x1b[1\x01m", "\x1b[1\x01m"),
            ("\x1b]0;no end", "\x1b]0;no end"),
            ("\x1b]0;\x1b[0mno end", "\x1b]0;no end"),
            ("\x1b", "\x1b"),
            ("\x1b(", "\x1b("),
            ("\x1b\x1b[0m[0m", "\x1b[0m"),
        ];
        for (line, shown) in table {
            assert_eq!(strip(line.as_bytes()), shown.as_bytes(), "{line:?}");
        }
        assert_eq!(strip(b"\x1b\xffx"), b"\x1b\xffx".as_slice());
    }
}
