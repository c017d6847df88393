//! Makes control characters visible instead of sending them to a terminal.

use std::borrow::Cow;

/// The replacement of a tab.
const TAB: &str = "    ";

/// Makes control characters visible, so that the text is one line.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_control_character(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Makes control characters visible in a text of several lines, and keeps the lines.
pub fn visible_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| visible(&line.replace('\t', TAB))).collect()
}

/// Replaces C1 control characters, which old terminals execute and the renderer of snippets does
/// not escape. The replacement has two bytes as well, so that offsets into the text stay valid.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| ('\u{80}'..='\u{9f}').contains(&c);
    if text.contains(is_obeyed) { text.replace(is_obeyed, "·").into() } else { text.into() }
}

/// Escapes the characters of a JSON text that a terminal executes. JSON itself escapes only the ones
/// below U+0020; the others can only be inside of strings, so the meaning of the text is the same.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    // Line breaks of a formatted text are not inside of strings.
    let is_obeyed = |character: char| character > '\u{7e}' && is_control_character(character);
    if !json.contains(is_obeyed) {
        return json.into();
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_obeyed(character) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            escaped.push(character);
        }
    }
    escaped.into()
}

/// Whether a terminal executes a character instead of showing it.
pub fn is_control_character(character: char) -> bool {
    character.is_control() || reorders_text(character)
}

/// Characters that change the direction of the text after them, and so its apparent content.
fn reorders_text(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_sent() {
        assert_eq!(visible("a\u{1b}[2Jb\tc\u{9b}é\n"), "a\\u{1b}[2Jb\\tc\\u{9b}é\\n");
    }

    #[test]
    fn direction_marks_are_shown() {
        assert_eq!(visible("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn lines_stay_lines_and_tabs_become_blanks() {
        assert_eq!(visible_lines("a\r\n\tb\u{7}\n"), ["a", "    b\\u{7}"]);
    }

    #[test]
    fn escaped_json_has_the_same_meaning_and_no_control_characters() {
        let nasty: String =
            (0..=0x9f_u8).map(char::from).chain("\u{202e}\u{2066}é👍".chars()).collect();
        let json = serde_json::to_string_pretty(&[&nasty]).expect("a text is JSON");
        let escaped = escaped_json(&json);
        assert!(!escaped.contains(|c: char| c != '\n' && is_control_character(c)), "{escaped:?}");
        let [read]: [String; 1] = serde_json::from_str(&escaped).expect("it is JSON");
        assert_eq!(read, nasty);
        assert!(matches!(escaped_json("{\"a\": \"é\"}\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn harmless_text_keeps_its_length() {
        let text = "a\u{9b}31mé\u{85}";
        assert_eq!(sanitize(text), "a·31mé·");
        assert_eq!(sanitize(text).len(), text.len());
    }
}
