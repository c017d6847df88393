//! Writing a text so that every YAML reader reads the same text, and new front matter.

use std::fmt::Write as _;

use crate::document::front::{FrontKey, FrontValue};

/// Where a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPosition {
    /// Behind a key or a hyphen.
    Line,
    /// In brackets, where more characters have a meaning.
    Brackets,
}

/// The quotes that are used if they can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteStyle {
    Single,
    Double,
}

/// Appends a text, with quotes where it needs them.
pub(crate) fn push_text(out: &mut String, text: &str, position: TextPosition, quotes: QuoteStyle) {
    if is_unambiguous(text, position) {
        out.push_str(text);
    } else {
        push_quoted(out, text, quotes);
    }
}

fn push_quoted(out: &mut String, text: &str, quotes: QuoteStyle) {
    if quotes == QuoteStyle::Single && !text.contains(must_be_escaped) {
        let _ = write!(out, "'{}'", text.replace('\'', "''"));
    } else {
        push_double_quoted(out, text);
    }
}

fn push_double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // Only these escapes have the same meaning in JSON, and in every version of YAML.
            c if must_be_escaped(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Characters that must be escaped: those that YAML forbids or takes for line breaks in one of its
/// versions, and those that make a line look like another one. All of them have four digits.
fn must_be_escaped(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{fffe}'
                | '\u{ffff}'
        )
}

/// Whether a text without quotes is a string to readers of any version of YAML.
fn is_unambiguous(text: &str, place: TextPosition) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let begins_well = !first.is_whitespace() && !"-?:,[]{}#&*!|>'\"%@`~=<".contains(first);
    let ends_well = !text.ends_with(|c: char| c.is_whitespace() || c == ':');
    let means_something_here = match place {
        TextPosition::Line => false,
        TextPosition::Brackets => text.contains([',', '[', ']', '{', '}', ':', '?']),
    };
    begins_well
        && ends_well
        && !means_something_here
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(must_be_escaped)
        && !is_word_with_meaning(text)
        && !may_be_number_or_date(text)
}

fn is_word_with_meaning(text: &str) -> bool {
    const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Whether a text starts like a number, date or time, and has only letters that occur in those.
fn may_be_number_or_date(text: &str) -> bool {
    let is_in_numbers = |c: char| "abcdefinotxzABCDEFINOTXZ".contains(c);
    text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '.')
        && !text.contains(|c: char| c.is_alphabetic() && !is_in_numbers(c))
}

/// Writes the front matter of a new file, one key a line.
pub fn render(values: &[(FrontKey, FrontValue)]) -> String {
    let mut out = String::new();
    for (key, value) in values {
        push_entry(&mut out, *key, value);
        out.push('\n');
    }
    out
}

/// Writes a key and its value, without the end of the line.
pub(crate) fn push_entry(out: &mut String, key: FrontKey, value: &FrontValue) {
    out.push_str(key.name());
    out.push_str(": ");
    push_value(out, value, QuoteStyle::Double);
}

/// Writes a value on one line.
pub(crate) fn push_value(out: &mut String, value: &FrontValue, quotes: QuoteStyle) {
    match value {
        FrontValue::Text(text) => push_text(out, text, TextPosition::Line, quotes),
        FrontValue::Quoted(text) => push_quoted(out, text, quotes),
        FrontValue::List(items) => push_list(out, items),
    }
}

fn push_list(out: &mut String, items: &[String]) {
    out.push('[');
    for (at, item) in items.iter().filter(|item| !item.is_empty()).enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        push_text(out, item, TextPosition::Brackets, QuoteStyle::Double);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, place: TextPosition, quotes: QuoteStyle) -> String {
        let mut out = String::new();
        push_text(&mut out, text, place, quotes);
        out
    }

    #[test]
    fn texts_that_can_mean_nothing_else_stay_bare() {
        for text in [
            "Fix the login",
            "TASK-001",
            "To Do",
            "C# and F#",
            "it's \"quoted\" [here], {there}",
            "a:b",
            "3 things to do",
            "12:30 lunch",
            "(maybe) 50% & more",
            "Übergröße",
            "\u{1f389} party",
            "nothing",
            "no way",
        ] {
            assert_eq!(written(text, TextPosition::Line, QuoteStyle::Double), text);
        }
    }

    #[test]
    fn texts_that_some_reader_takes_for_something_else_are_quoted() {
        for text in [
            "",
            " a",
            "a ",
            "\u{a0}a",
            "no",
            "Yes",
            "ON",
            "off",
            "y",
            "N",
            "null",
            "True",
            "~",
            "012",
            "1e3",
            "0x1",
            "0o7",
            "1_000",
            "1.5",
            ".5",
            ".inf",
            ".NaN",
            "+1",
            "-1",
            "2026-12-31",
            "2026-12-31T00:00:00Z",
            "12:30",
            "1:20:30",
            "a: b",
            "a:",
            "a #b",
            "#a",
            "- a",
            "-a",
            "? a",
            "[a",
            "{a",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "%a",
            "@a",
            "`a",
            "=",
            "<<",
            "'a",
            "---",
            "...",
        ] {
            assert_eq!(
                written(text, TextPosition::Line, QuoteStyle::Double),
                format!("\"{text}\"")
            );
        }
        for text in ["a,b", "a]", "area:ui", "{a", "why?"] {
            assert_eq!(
                written(text, TextPosition::Brackets, QuoteStyle::Double),
                format!("\"{text}\"")
            );
        }
    }

    #[test]
    fn characters_that_do_not_show_are_escaped() {
        for (text, expected) in [
            ("\"a\\", "\"\\\"a\\\\\""),
            ("a\nb\tc\rd", "\"a\\nb\\tc\\rd\""),
            ("\0\u{1b}\u{7f}\u{85}", "\"\\u0000\\u001b\\u007f\\u0085\""),
            ("\u{feff}\u{202e}\u{2028}", "\"\\ufeff\\u202e\\u2028\""),
        ] {
            assert_eq!(written(text, TextPosition::Line, QuoteStyle::Double), expected);
        }
    }

    #[test]
    fn single_quotes_are_used_where_they_can_be() {
        let single = |text| written(text, TextPosition::Line, QuoteStyle::Single);
        assert_eq!(single("it's: x"), "'it''s: x'");
        assert_eq!(single("a\nb"), "\"a\\nb\"");
        assert_eq!(single("a"), "a");
        assert_eq!(single("no"), "'no'");
    }
}

#[cfg(test)]
mod render_tests {
    use super::*;

    #[test]
    fn new_front_matter_has_a_line_for_each_key() {
        let text = |text: &str| FrontValue::Text(text.to_owned());
        let list =
            |items: &[&str]| FrontValue::List(items.iter().map(ToString::to_string).collect());
        let values = [
            (FrontKey::Id, text("TASK-001")),
            (FrontKey::Title, text("Fix: the login")),
            (FrontKey::Status, text("To Do")),
            (FrontKey::Assignee, text("")),
            (FrontKey::Labels, list(&["bug", "", "area:ui", "a, b"])),
            (FrontKey::Dependencies, list(&[])),
            (FrontKey::DueDate, text("2026-12-31")),
            (FrontKey::CreatedAt, FrontValue::Quoted("now".to_owned())),
        ];
        assert_eq!(
            render(&values),
            "id: TASK-001\ntitle: \"Fix: the login\"\nstatus: To Do\nassignee: \"\"\n\
             labels: [bug, \"area:ui\", \"a, b\"]\ndependencies: []\n\
             dueDate: \"2026-12-31\"\ncreatedAt: \"now\"\n"
        );
    }
}
