//! Reads the values of arguments: texts, values that can be cleared, and values that can be several.

use std::error::Error;
use std::time::Duration;

use jiff::{SignedDuration, Span, SpanRelativeTo};

use crate::{DueDate, DueDateParseError, IdQuery, Priority, PriorityParseError, TaskIdParseError};

/// A new value. An empty text clears it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SetOrClear<T> {
    /// To nothing.
    Clear,
    /// To this.
    To(T),
}

impl<T> SetOrClear<T> {
    /// Reads a text that may be empty.
    pub(crate) fn read<E>(text: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<Self, E> {
        if text.trim().is_empty() { Ok(Self::Clear) } else { parse(text).map(Self::To) }
    }

    /// The value, if there is one.
    pub(crate) fn value(self) -> Option<T> {
        match self {
            Self::Clear => None,
            Self::To(value) => Some(value),
        }
    }
}

pub(crate) fn priority(text: &str) -> Result<SetOrClear<Priority>, PriorityParseError> {
    SetOrClear::read(text, Priority::parse)
}

pub(crate) fn due_date(text: &str) -> Result<SetOrClear<DueDate>, DueDateParseError> {
    SetOrClear::read(text, DueDate::parse)
}

pub(crate) fn id(text: &str) -> Result<SetOrClear<IdQuery>, TaskIdParseError> {
    SetOrClear::read(text, IdQuery::parse)
}

/// Several values in one argument, with commas between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommaSeparated<T>(Vec<T>);

impl<T> CommaSeparated<T> {
    fn read<E>(text: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<Self, E> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(parse).collect::<Result<Vec<T>, E>>().map(Self)
    }
}

/// The values of all arguments together.
pub(crate) fn all<T: Clone>(arguments: &[CommaSeparated<T>]) -> Vec<T> {
    arguments.iter().flat_map(|several| several.0.iter().cloned()).collect()
}

pub(crate) fn ids(text: &str) -> Result<CommaSeparated<IdQuery>, TaskIdParseError> {
    CommaSeparated::read(text, IdQuery::parse)
}

pub(crate) fn criteria(text: &str) -> Result<CommaSeparated<u32>, Box<dyn Error + Send + Sync>> {
    CommaSeparated::read(text, |part| {
        part.trim_start_matches('#').parse().map_err(|_| not_a_number(part))
    })
}

fn not_a_number(text: &str) -> Box<dyn Error + Send + Sync> {
    format!("`{text}` is not the number of a criterion, such as 1").into()
}

/// Makes a newline of every `\n` that was typed as two characters. `\\n` is those two characters,
/// and nothing else is touched.
pub(crate) fn with_newlines(typed: &str) -> String {
    let mut text = String::with_capacity(typed.len());
    let mut rest = typed;
    while let Some(found) = rest.find('\\') {
        text.push_str(&rest[..found]);
        rest = &rest[found..];
        if let Some(behind) = rest.strip_prefix("\\\\n") {
            text.push_str("\\n");
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("\\n") {
            text.push('\n');
            rest = behind;
        } else {
            text.push('\\');
            rest = &rest['\\'.len_utf8()..];
        }
    }
    text + rest
}

/// Makes one line of a text: control characters, newlines among them, become blanks.
pub(crate) fn one_line(typed: &str) -> String {
    let parts = typed.split(char::is_control).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Reads a text of several lines.
pub(crate) fn text(typed: &str) -> Result<String, std::convert::Infallible> {
    Ok(with_newlines(typed))
}

/// Reads the text of a new criterion. A number is a criterion that should be checked.
pub(crate) fn criterion(typed: &str) -> Result<String, String> {
    let number = typed.trim().trim_start_matches('#');
    if number.parse::<u32>().is_ok() {
        let text = typed.trim();
        return Err(format!(
            "`{text}` is not the text of a criterion; to check criterion {number}, write \
             `--check-ac {number}`"
        ));
    }
    Ok(with_newlines(typed))
}

/// Reads a text of one line that may be empty.
pub(crate) fn line(typed: &str) -> Result<String, std::convert::Infallible> {
    Ok(one_line(typed))
}

/// Reads a title.
pub(crate) fn title(typed: &str) -> Result<String, &'static str> {
    match one_line(typed) {
        title if title.is_empty() => Err("a task needs a title that is not empty"),
        title => Ok(title),
    }
}

/// Reads a name.
pub(crate) fn name(typed: &str) -> Result<String, &'static str> {
    match one_line(typed) {
        name if name.is_empty() => Err("a name must not be empty"),
        name => Ok(name),
    }
}

/// Parses a search query.
pub(crate) fn query(typed: &str) -> Result<String, &'static str> {
    match typed.trim() {
        "" => Err("QUERY must not be empty; `forge-tasks list` shows every task"),
        query => Ok(query.to_owned()),
    }
}

/// Reads a length of time. A day has 24 hours and a week seven days, whatever the clocks do.
pub(crate) fn lease(text: &str) -> Result<Duration, String> {
    let duration = time_length(text.trim()).ok_or_else(|| {
        format!(
            "`--lease` is a length of time with a unit (s, m, h, d or w), such as 90m or 2h, not \
             `{text}`"
        )
    })?;
    match Duration::try_from(duration) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(format!("`--lease` must be more than no time, not `{text}`")),
    }
}

fn time_length(text: &str) -> Option<SignedDuration> {
    let span: Span = text.parse().ok()?;
    span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_backslash_n_becomes_a_newline() {
        for (typed, text) in [
            (r"a\nb", "a\nb"),
            (r"a\\nb", r"a\nb"),
            (r"a\\\nb", r"a\\nb"),
            (r"\n\n", "\n\n"),
            (r"a\tb\\c\", r"a\tb\\c\"),
            ("real\nnewline", "real\nnewline"),
            (r"é\né", "é\né"),
            ("", ""),
        ] {
            assert_eq!(with_newlines(typed), text, "{typed}");
        }
    }

    #[test]
    fn control_characters_of_a_line_become_single_blanks() {
        assert_eq!(one_line(" a\r\n\tb\u{1b}c \u{7f}"), "a b c");
        assert_eq!(one_line("two  blanks"), "two  blanks");
        assert_eq!(title(" \n\t "), Err("a task needs a title that is not empty"));
    }

    proptest! {
        #[test]
        fn a_text_without_backslashes_stays(text in "[^\\\\]{0,40}") {
            prop_assert_eq!(with_newlines(&text), text);
        }

        #[test]
        fn every_text_without_a_backslash_before_a_newline_can_be_typed(
            text in "([a-n\n é]|\\\\[a-n])*",
        ) {
            let typed = text.replace("\\n", "\\\\n").replace('\n', "\\n");
            prop_assert_eq!(with_newlines(&typed), text);
        }
    }
}

#[cfg(test)]
mod lease_tests {
    use super::*;

    #[test]
    fn a_lease_is_read_in_every_unit() {
        let minutes = |text: &str| lease(text).map(|lease| lease.as_secs() / 60);
        for (text, expected) in [
            ("90m", 90),
            ("1h 30m", 90),
            ("2h", 120),
            ("3d", 3 * 24 * 60),
            ("1w", 7 * 24 * 60),
            ("600s", 10),
            (" 5 minutes ", 5),
        ] {
            assert_eq!(minutes(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_lease_without_unit_or_length_is_refused_with_the_units() {
        for text in ["45", "soon", "", "1 month", "2y", "h"] {
            let said = lease(text).expect_err("it is no length of time");
            assert!(said.contains("(s, m, h, d or w)") && said.contains(text), "{said}");
        }
        for text in ["0s", "-1h", "-3d"] {
            let said = lease(text).expect_err("it is no time at all");
            assert_eq!(said, format!("`--lease` must be more than no time, not `{text}`"));
        }
    }
}
