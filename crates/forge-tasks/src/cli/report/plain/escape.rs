//! Values that stay on their line.

use std::borrow::Cow;

/// How a `|` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PipeEscape {
    /// It separates cells, so in a cell it is escaped.
    Escaped,
    /// It means nothing.
    Kept,
}

/// A value on one line, without control characters.
///
/// `\n` and `\r` have their usual meaning, `\u{1b}` is a control character by its number, `\|` is a
/// bar and `\\` a backslash. A backslash that cannot be misread is not escaped.
pub(super) fn escaped(value: &str, bar: PipeEscape) -> Cow<'_, str> {
    let is_special = |c: char| c == '\\' || c == '|' || is_escaped_control(c);
    if !value.contains(is_special) {
        return value.into();
    }
    let mut text = String::with_capacity(value.len() + 8);
    let mut characters = value.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '|' if bar == PipeEscape::Escaped => text.push_str("\\|"),
            '\\' if characters.peek().is_some_and(|next| misleads(*next)) => text.push_str("\\\\"),
            control if is_escaped_control(control) => text.extend(control.escape_unicode()),
            other => text.push(other),
        }
    }
    text.into()
}

/// Whether a backslash before this character, or before its escape, would be misread.
fn misleads(next: char) -> bool {
    matches!(next, '\\' | 'n' | 'r' | 'u' | '|') || is_escaped_control(next)
}

/// Tabs do no harm.
fn is_escaped_control(character: char) -> bool {
    character.is_control() && character != '\t'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a value back, as documented.
    fn unescaped(text: &str) -> String {
        let mut value = String::new();
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let escapes = [("\\n", "\n"), ("\\r", "\r"), ("\\|", "|"), ("\\\\", "\\")].into_iter();
            let mut found =
                escapes.filter_map(|(escape, meant)| Some((rest.strip_prefix(escape)?, meant)));
            if let Some((behind, meant)) = found.next() {
                value.push_str(meant);
                rest = behind;
            } else if let Some((number, behind)) =
                rest.strip_prefix("\\u{").and_then(|behind| behind.split_once('}'))
            {
                let number = u32::from_str_radix(number, 16).expect("it is hexadecimal");
                value.push(char::from_u32(number).expect("it is a character"));
                rest = behind;
            } else {
                value.push(character);
                rest = &rest[character.len_utf8()..];
            }
        }
        value
    }

    #[test]
    fn only_what_could_be_misread_is_escaped() {
        for (value, expected) in [
            ("plain", "plain"),
            ("a\nb\r\nc", r"a\nb\r\nc"),
            (r"C:\temp\x", r"C:\temp\x"),
            (r"C:\new", r"C:\\new"),
            ("end\\", "end\\"),
            ("a\\\nb", r"a\\\nb"),
            ("tab\tstays", "tab\tstays"),
            ("\u{1b}[2J\u{9b}", r"\u{1b}[2J\u{9b}"),
        ] {
            assert_eq!(escaped(value, PipeEscape::Kept), expected);
        }
        assert_eq!(escaped("a|b", PipeEscape::Kept), "a|b");
        assert_eq!(escaped("a|b", PipeEscape::Escaped), r"a\|b");
    }

    proptest! {
        #[test]
        fn every_value_can_be_read_back(value in "[\\\\nru{}|1b\n\r\u{1b} é]{0,24}") {
            for bar in [PipeEscape::Escaped, PipeEscape::Kept] {
                let text = escaped(&value, bar);
                prop_assert!(!text.contains(is_escaped_control), "{:?}", text);
                prop_assert_eq!(unescaped(&text), value.clone(), "{:?}", text);
            }
        }
    }
}
