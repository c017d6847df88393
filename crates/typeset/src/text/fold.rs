//! Breaks long lines without losing text.

use std::ops::Range;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The minimum width: narrower lines have no space for wide characters.
const NARROWEST: usize = 2;

/// The ranges into which a text is broken so that each fits: between words, and inside words that
/// are longer than a line. Blanks around a break belong to no range.
pub fn folds(text: &str, columns: usize) -> Vec<Range<usize>> {
    let columns = columns.max(NARROWEST);
    let mut parts = Vec::new();
    let mut part: Option<Range<usize>> = None;
    for word in words(text) {
        let mut next = match part.take() {
            Some(before) if text[before.start..word.end].width() <= columns => {
                before.start..word.end
            }
            before => {
                parts.extend(before);
                word
            }
        };
        while text[next.clone()].width() > columns {
            let end = next.start + fitting(&text[next.clone()], columns);
            parts.push(next.start..end);
            next.start = end;
        }
        part = Some(next);
    }
    parts.extend(part.filter(|part| !part.is_empty()));
    parts
}

/// Breaks a line of prose so that each part fits. Continuation lines are indented like the line,
/// and past the marker of a list.
pub fn folded(line: &str, columns: usize) -> Vec<String> {
    let line = line.trim_end();
    if line.width() <= columns {
        return vec![line.to_owned()];
    }
    let beginning = indentation(line) + mark(&line[indentation(line)..]);
    let (first, text) = line.split_at(beginning);
    let indent = first.width();
    if indent > columns / 2 {
        return hard_wrapped(line, columns);
    }
    let parts = folds(text, columns - indent).into_iter().enumerate().map(|(number, part)| {
        let below = " ".repeat(indent);
        format!("{}{}", if number == 0 { first } else { &below }, &text[part])
    });
    parts.collect()
}

/// Breaks a line of code at any place so that each part fits. Continuation lines are indented like
/// the line.
pub fn hard_wrapped(line: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(NARROWEST);
    let line = line.trim_end();
    let indent = indentation(line).min(columns / 2);
    let end = fitting(line, columns);
    let mut parts = vec![line[..end].to_owned()];
    let mut rest = &line[end..];
    while !rest.is_empty() {
        let (part, more) = rest.split_at(fitting(rest, columns - indent));
        parts.push(format!("{}{part}", " ".repeat(indent)));
        rest = more;
    }
    parts
}

/// The number of bytes of a text that fit, at least one grapheme.
fn fitting(text: &str, columns: usize) -> usize {
    let mut fits = 0;
    for end in grapheme_ends(text) {
        if fits > 0 && text[..end].width() > columns {
            break;
        }
        fits = end;
    }
    fits
}

/// The end offsets of a text's graphemes. Combining and joined characters belong to the grapheme
/// before.
fn grapheme_ends(text: &str) -> impl Iterator<Item = usize> {
    const JOINER: char = '\u{200d}';
    let begins = |(start, character): &(usize, char)| {
        *start > 0 && character.width() != Some(0) && !text[..*start].ends_with(JOINER)
    };
    text.char_indices().filter(begins).map(|(start, _)| start).chain([text.len()])
}

/// The ranges of the words of a text. Non-breaking blanks are parts of words.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_blank = |character: char| matches!(character, ' ' | '\u{3000}');
    let mut end = 0;
    let parts = text.split_inclusive(is_blank).map(move |part| {
        let start = end;
        end += part.len();
        start..start + part.trim_end_matches(is_blank).len()
    });
    parts.filter(|word| !word.is_empty())
}

/// The number of leading blanks.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The length of a list or quote marker with the blank after it: `- `, `12. `, `- [x] `, `> `.
fn mark(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let marks: &[&str] = match digits {
        0 => &["- [ ] ", "- [x] ", "- [X] ", "- ", "* ", "+ ", "> "],
        1..4 => &[". ", ") "],
        _ => &[],
    };
    let mark = marks.iter().find(|mark| rest.starts_with(**mark));
    mark.map_or(0, |mark| digits + mark.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prose_is_broken_between_words_and_stays_indented() {
        for (line, columns, expected) in [
            ("fix the login page", 9, &["fix the", "login", "page"][..]),
            ("  fix the login", 9, &["  fix the", "  login"]),
            ("- fix the login", 9, &["- fix the", "  login"]),
            ("12. fix it  now", 12, &["12. fix it", "    now"]),
            ("- [x] fix the login", 13, &["- [x] fix the", "      login"]),
            ("two  blanks stay", 11, &["two  blanks", "stay"]),
            ("incomprehensible", 10, &["incomprehe", "nsible"]),
            ("日本語の", 5, &["日本", "語の"]),
            ("fits as it is  ", 20, &["fits as it is"]),
            ("", 5, &[""]),
            ("-       ", 5, &["-"]),
            ("             deep in", 10, &["          ", "        de", "     ep in"]),
        ] {
            assert_eq!(folded(line, columns), expected, "{line:?} in {columns}");
        }
    }

    #[test]
    fn code_is_broken_anywhere_and_keeps_its_blanks() {
        assert_eq!(hard_wrapped("  a = b  + c", 7), ["  a = b", "    + c"]);
        assert_eq!(hard_wrapped("日本語", 3), ["日", "本", "語"]);
        assert_eq!(hard_wrapped("", 7), [""]);
    }

    #[test]
    fn a_sign_made_of_several_characters_is_as_wide_as_it_is_shown() {
        let text = "☑\u{fe0f}☑\u{fe0f}☑\u{fe0f}";
        let parts: Vec<&str> = folds(text, 5).into_iter().map(|part| &text[part]).collect();
        assert_eq!(parts, ["☑\u{fe0f}☑\u{fe0f}", "☑\u{fe0f}"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_everything_fits(
            line in " {0,9}(- |1\\. )?[a-c日é\u{3000} ]{0,60}",
            columns in 2_usize..40,
        ) {
            let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
            for parts in [folded(&line, columns), hard_wrapped(&line, columns)] {
                let widest = parts.iter().map(|part| part.width()).max();
                prop_assert!(widest.is_some_and(|widest| widest <= columns.max(3)), "{parts:?}");
                prop_assert_eq!(without_blanks(&parts.concat()), without_blanks(&line));
            }
        }

        #[test]
        fn code_can_be_put_together_again(line in " {0,3}[a-c日 ]{0,40}c", columns in 8_usize..20) {
            let parts = hard_wrapped(&line, columns);
            let indent = indentation(&line).min(columns / 2);
            let mut again = parts[0].clone();
            parts[1..].iter().for_each(|part| again.push_str(&part[indent..]));
            prop_assert_eq!(again, line);
        }
    }
}
