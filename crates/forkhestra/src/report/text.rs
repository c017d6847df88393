//! Texts of other people on our screen: nothing in them may move the cursor or hide a line.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

/// Makes control characters visible.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_obeyed(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Replaces the control characters of two bytes, which old terminals obey and which the renderer of
/// snippets lets through, by a sign of two bytes, so that all places in the text stay where they are.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| ('\u{80}'..='\u{9f}').contains(&c);
    if text.contains(is_obeyed) { text.replace(is_obeyed, "·").into() } else { text.into() }
}

/// Whether a terminal does something about a character instead of showing it.
pub(crate) fn is_obeyed(character: char) -> bool {
    character.is_control() || reorders_text(character)
}

/// Characters that change the direction of what follows, and so what a line seems to say.
fn reorders_text(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a word the way a shell would read it back.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    visible(&format!("'{}'", word.replace('\'', r"'\''")))
}

/// The text, or as much of it as fits.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let ends = text.char_indices().map(|(start, _)| &text[..start]);
    match ends.take_while(|part| part.width() < columns).last() {
        Some(part) => format!("{part}…"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_sent() {
        assert_eq!(visible("a\u{1b}[2Jb\tc\u{9b}é"), "a\\u{1b}[2Jb\\tc\\u{9b}é");
    }

    #[test]
    fn direction_marks_are_shown() {
        assert_eq!(visible("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn harmless_text_keeps_its_length() {
        let text = "a\u{9b}31mé\u{85}";
        assert_eq!(harmless(text), "a·31mé·");
        assert_eq!(harmless(text).len(), text.len());
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, expected) in [
            ("--task", "--task"),
            ("TASK-001", "TASK-001"),
            ("", "''"),
            ("two words", "'two words'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(shell_word(word), expected);
        }
    }

    #[test]
    fn a_text_is_cut_to_the_columns_that_it_fills() {
        for (text, columns, expected) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("longer", 1, "…"),
            ("longer", 0, ""),
            ("", 0, ""),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
        ] {
            assert_eq!(shortened(text, columns), expected, "{text} in {columns}");
        }
    }
}
