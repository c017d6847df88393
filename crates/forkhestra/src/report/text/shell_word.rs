//! Shell quoting for display.

use forkhestra_core::text;
use typeset::text::visible;

/// A word, quoted for a shell and safe to print.
pub(crate) fn shell_word(word: &str) -> String {
    visible(&text::shell_word(word))
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
        ] {
            assert_eq!(shell_word(word), expected);
        }
    }
}
