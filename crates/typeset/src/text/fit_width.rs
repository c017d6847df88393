//! Fits texts into a width, counted in terminal columns.

use unicode_width::UnicodeWidthStr;

use super::folds;

/// Shortens a text that does not fit.
pub fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let ends = text.char_indices().map(|(start, _)| &text[..start]);
    match ends.take_while(|part| part.width() < columns).last() {
        Some(part) => format!("{part}…"),
        None => String::new(),
    }
}

/// Shortens a text that does not fit, and keeps its end.
pub fn shortened_keeping_end(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let ends = text.char_indices().map(|(start, _)| &text[start..]).skip(1).chain([""]);
    match ends.into_iter().find(|part| part.width() < columns) {
        Some(part) => format!("…{part}"),
        None => String::new(),
    }
}

/// Wraps a text into lines that fit, between words if possible. Whitespace is collapsed.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    folds(&text, columns).into_iter().map(|part| text[part].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
    fn a_text_keeps_the_end_that_fits() {
        for (text, columns, expected) in [
            ("short", 5, "short"),
            ("longer", 5, "…nger"),
            ("longer", 1, "…"),
            ("longer", 0, ""),
            ("日本語", 5, "…本語"),
            ("日本語", 4, "…語"),
        ] {
            assert_eq!(shortened_keeping_end(text, columns), expected, "{text} in {columns}");
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
