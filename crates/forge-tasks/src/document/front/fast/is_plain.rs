//! Whether a text has only characters that are nothing special anywhere.

/// Whether the text has no control characters but line breaks, nor other invisible characters for
/// which YAML has rules.
pub(super) fn is_tame(text: &str) -> bool {
    let mut has_control = false;
    let mut has_return = false;
    let mut has_others = false;
    // Without an early exit, so that the compiler can vectorise the loop.
    for byte in text.bytes() {
        has_control |= (byte < b' ' && byte != b'\n' && byte != b'\r') || byte == 0x7f;
        has_return |= byte == b'\r';
        has_others |= byte >= 0x80;
    }
    !has_control
        && (!has_return || returns_are_before_newlines(text))
        && (!has_others || !text.contains(is_special))
}

fn returns_are_before_newlines(text: &str) -> bool {
    memchr::memchr_iter(b'\r', text.as_bytes())
        .all(|at| text.as_bytes().get(at + 1) == Some(&b'\n'))
}

fn is_special(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ordinary_characters_are_tame() {
        assert!(is_tame("a\r\nä\u{1f389}\u{a0}\n"));
        for text in ["\t", "\0", "\r", "a\rb\n", "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}"] {
            assert!(!is_tame(text), "{text:?}");
        }
    }
}
