//! The escape sequence that copies text to the clipboard.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// OSC 52: the terminal copies the text, also over ssh, or ignores the sequence.
pub(super) fn copy_sequence(text: &str) -> String {
    format!("\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let mut encoded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 0b11_1111;
            let is_there = digit <= group.len();
            encoded.push(if is_there { char::from(DIGITS[index as usize]) } else { '=' });
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_encoded_as_terminals_expect() {
        for (text, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("forkhestra resume k3v9x2ab", "Zm9ya2hlc3RyYSByZXN1bWUgazN2OXgyYWI="),
            ("ü?>", "w7w/Pg=="),
        ] {
            assert_eq!(copy_sequence(text), format!("\u{1b}]52;c;{encoded}\u{7}"), "{text}");
        }
    }
}
