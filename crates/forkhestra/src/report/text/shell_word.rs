//! Shell quoting for display.

use forkhestra_core::text;
use typeset::text::visible;

/// A word, quoted for a shell and safe to print.
pub(crate) fn shell_word(word: &str) -> String {
    match word.contains(char::is_control) {
        true => escaped(word),
        false => visible(&text::shell_word(word)),
    }
}

/// A word in `$'…'`, in which a shell reads escaped characters.
fn escaped(word: &str) -> String {
    let mut text = String::from("$'");
    for character in word.chars() {
        match character {
            '\n' => text.push_str("\\n"),
            '\'' | '\\' => text.extend(['\\', character]),
            _ if character.is_control() => {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    text.push_str(&format!("\\{byte:03o}"));
                }
            }
            _ => text.push(character),
        }
    }
    visible(&(text + "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, expected) in [
            ("--task", "--task"),
            ("TASK-001", "TASK-001"),
            ("", "''"),
            ("two words", "'two words'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("two\nlines", r"$'two\nlines'"),
            ("it's \\ \u{1b}", r"$'it\'s \\ \033'"),
        ] {
            assert_eq!(shell_word(word), expected);
        }
    }
}
