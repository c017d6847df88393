//! Wrapping of output lines.

use std::ops::Range;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Splits a line into parts that fit `columns` and keeps all blanks. The break is after the last
/// blank if that is in the second half of the row, else anywhere. There is at least one part.
pub(crate) fn breaks(text: &str, columns: usize) -> Vec<Range<usize>> {
    let columns = columns.max(2);
    if text.len() <= columns && text.width() <= columns {
        return std::iter::once(0..text.len()).collect();
    }
    let mut parts = Vec::new();
    let (mut start, mut width, mut blank) = (0, 0, None);
    for (place, letter) in text.char_indices() {
        let wide = letter.width().unwrap_or(0);
        // The text behind a blank may itself exceed a row.
        while width + wide > columns {
            let end = match blank {
                Some((end, at)) if at * 2 >= columns => end,
                _ => place,
            };
            parts.push(start..end);
            width = text[end..place].width();
            (start, blank) = (end, None);
        }
        width += wide;
        if letter == ' ' {
            blank = Some((place + 1, width));
        }
    }
    parts.push(start..text.len());
    parts
}

/// Number of parts.
pub(crate) fn rows(text: &str, columns: usize) -> usize {
    if text.len() <= columns { 1 } else { breaks(text, columns).len() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_broken_after_blanks_where_that_wastes_little() {
        let parts = |text: &'static str, columns| {
            breaks(text, columns).into_iter().map(|part| &text[part]).collect::<Vec<_>>()
        };
        assert_eq!(parts("fix the login", 9), ["fix the ", "login"]);
        assert_eq!(parts("    incomprehensible", 10), ["    incomp", "rehensible"]);
        assert_eq!(parts("日本語の", 5), ["日本", "語の"]);
        assert_eq!(parts("", 5), [""]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_everything_fits(text in "[a-c日é\u{301} ]{0,60}", columns in 2_usize..20) {
            let parts = breaks(&text, columns);
            prop_assert!(parts.iter().all(|part| text[part.clone()].width() <= columns));
            prop_assert_eq!(parts.into_iter().map(|part| &text[part]).collect::<String>(), text);
        }
    }
}
