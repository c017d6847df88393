//! Checks the removal of control characters.

use typeset::stream::StreamSanitizer;
use typeset::text::{escaped_json, is_control_character, visible, visible_lines};

use crate::pieces::pieces;

/// The result does not depend on how a text is cut, and has nothing that a terminal executes. The
/// first two bytes are the lengths of the pieces.
pub fn terminal_text(data: &[u8]) {
    let [first, second, text @ ..] = data else {
        return;
    };
    let lengths = [first, second].map(|length| 1 + usize::from(*length));
    for keeps_colors in [false, true] {
        let whole = sanitized(text, [text.len().max(1); 2], keeps_colors);
        assert_eq!(sanitized(text, lengths, keeps_colors), whole);
        let mut rest = whole.as_str();
        while let Some(start) = rest.find(is_obeyed) {
            // Only a colour may be left.
            assert!(keeps_colors, "{whole:?}");
            let sequence = rest[start..].strip_prefix("\u{1b}[").expect("a control sequence");
            let end = sequence.trim_start_matches(|c: char| c.is_ascii_digit() || ";:".contains(c));
            rest = end.strip_prefix('m').expect("a colour");
        }
    }
    let text = String::from_utf8_lossy(text);
    assert!(!visible(&text).contains(is_control_character));
    assert!(!visible_lines(&text).iter().any(|line| line.contains(is_control_character)));
    assert!(!escaped_json(&text).contains(|c: char| c > '~' && is_control_character(c)));
}

fn is_obeyed(character: char) -> bool {
    is_control_character(character) && !"\n\t".contains(character)
}

fn sanitized(text: &[u8], lengths: [usize; 2], keeps_colors: bool) -> String {
    let mut sanitizer = StreamSanitizer::new(keeps_colors);
    let mut bytes = Vec::new();
    for piece in pieces(text, lengths) {
        bytes.extend_from_slice(&sanitizer.feed(piece).bytes);
    }
    bytes.extend_from_slice(&sanitizer.finish().bytes);
    String::from_utf8(bytes).expect("it is text")
}
