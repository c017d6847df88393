//! Texts of other people on our screen: nothing in them may move the cursor or hide a line.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How far a tab goes.
const TAB: &str = "    ";

/// Makes control characters visible, so that the text is one line.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        push_visible(&mut shown, character);
    }
    shown
}

/// Makes control characters visible in a text of several lines, which stay lines.
pub(crate) fn visible_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| visible(&line.replace('\t', TAB))).collect()
}

/// Whether a terminal does something about a character instead of showing it: it is a control
/// character, or it changes the direction of what follows.
fn is_obeyed(character: char) -> bool {
    let reorders_text = matches!(
        character,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    character.is_control() || reorders_text
}

fn push_visible(shown: &mut String, character: char) {
    if is_obeyed(character) {
        shown.extend(character.escape_default());
    } else {
        shown.push(character);
    }
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

/// Breaks a text into lines that fit, between words where that can be done.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for character in word.chars() {
            if line.width() + character.width().unwrap_or(0) > columns {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    lines.extend((!line.is_empty()).then_some(line));
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_characters_and_direction_marks_are_shown_and_not_sent() {
        assert_eq!(
            visible("a\u{1b}[2Jb\tc\u{9b}é\n\u{202e}"),
            "a\\u{1b}[2Jb\\tc\\u{9b}é\\n\\u{202e}"
        );
    }

    #[test]
    fn lines_stay_lines_and_tabs_become_blanks() {
        assert_eq!(visible_lines("a\r\n\tb\u{7}\n"), ["a", "    b\\u{7}"]);
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

    #[test]
    fn a_text_is_wrapped_between_words_and_long_words_are_broken() {
        assert_eq!(wrapped("fix the login page", 9), ["fix the", "login", "page"]);
        assert_eq!(wrapped("incomprehensibilities ok", 10), ["incomprehe", "nsibilitie", "s ok"]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
        assert!(wrapped(" ", 9).is_empty());
    }

    proptest! {
        #[test]
        fn wrapping_loses_nothing_and_fits(text in "[a-c日é ]{0,60}", columns in 2_usize..20) {
            let lines = wrapped(&text, columns);
            prop_assert!(lines.iter().all(|line| line.width() <= columns));
            let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(without_blanks(&lines.join(" ")), without_blanks(&text));
        }
    }
}
