//! Screens of a recorded terminal.

use std::num::NonZeroU16;

use vt100::{Parser, Screen};

/// The random part of the demo's directory, and its replacement of the same length.
const RANDOM_NAME_PREFIX: &[u8] = b"/forkhestra-demo-";
const REPLACEMENT: &[u8] = b"x7Kq2M";

/// Replaces names that differ from run to run.
pub(super) fn without_random_names(output: &[u8]) -> Vec<u8> {
    let mut output = output.to_vec();
    let mut from = 0;
    while let Some(found) = position(&output[from..], RANDOM_NAME_PREFIX) {
        from += found + RANDOM_NAME_PREFIX.len();
        let end = output.len().min(from + REPLACEMENT.len());
        output[from..end].copy_from_slice(&REPLACEMENT[..end - from]);
    }
    output
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// The screen after each of these lines, in this order. The error is the first line that is
/// missing.
pub(super) fn at_lines(
    output: &[u8],
    (rows, columns): (u16, u16),
    lines: &[&str],
) -> Result<Vec<Screen>, String> {
    let mut parser = parser(rows, columns);
    let mut wanted = lines.iter();
    let mut next = wanted.next();
    let mut frames = Vec::new();
    for piece in output.split_inclusive(|byte| *byte == b'\n') {
        parser.process(piece);
        if next.is_some_and(|line| line_above_cursor(parser.screen(), columns) == *line) {
            frames.push(parser.screen().clone());
            next = wanted.next();
        }
    }
    match next {
        None => Ok(frames),
        Some(missing) => Err((*missing).to_owned()),
    }
}

/// A terminal without scrollback.
pub(super) fn parser(rows: u16, columns: u16) -> Parser {
    let size = |cells| NonZeroU16::new(cells).expect("a terminal has rows and columns");
    Parser::new(size(rows), size(columns), 0)
}

fn line_above_cursor(screen: &Screen, columns: u16) -> String {
    let (row, _) = screen.cursor_position();
    let above = row.checked_sub(1).and_then(|row| screen.rows(0, columns).nth(row.into()));
    above.unwrap_or_default().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_names_are_replaced_everywhere_and_also_at_the_end() {
        let output =
            b"a /tmp/forkhestra-demo-AbCdEf/tea\n/forkhestra-demo-123456 /forkhestra-demo-z";
        let expected =
            b"a /tmp/forkhestra-demo-x7Kq2M/tea\n/forkhestra-demo-x7Kq2M /forkhestra-demo-x";
        assert_eq!(without_random_names(output), expected);
    }

    #[test]
    fn a_frame_is_the_screen_after_a_complete_line() {
        // The status line is drawn and cleared before the line that counts.
        let output = b"one\r\n\x1b7two\x1b8\x1b7\x1b[J\x1b8\x1b[1mtwo\x1b[0m\r\nthree\r\nfour\r\n";
        let frames = at_lines(output, (3, 20), &["two", "four"]).expect("both are there");
        let texts: Vec<String> = frames.iter().map(Screen::contents).collect();
        assert_eq!(texts, ["one\ntwo", "three\nfour"]);
    }

    #[test]
    fn a_missing_line_is_named() {
        let missing = at_lines(b"two\r\none\r\n", (3, 20), &["one", "two"]);
        assert_eq!(missing.err().as_deref(), Some("two"));
    }
}
