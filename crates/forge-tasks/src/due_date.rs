//! When a task should be done.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;

/// A day, or a moment, by which a task should be done. It stays as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDate(String);

/// Why a text is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a date such as 2026-12-31 or 2026-12-31T18:00:00Z")]
pub struct DueDateParseError(pub String);

impl DueDate {
    /// Reads a day or a moment of the calendar.
    pub fn parse(text: &str) -> Result<Self, DueDateParseError> {
        let text = text.trim();
        let is_day = text.len() == "2026-12-31".len() && text.parse::<Date>().is_ok();
        if is_day || text.parse::<Timestamp>().is_ok() {
            Ok(Self(text.to_owned()))
        } else {
            Err(DueDateParseError(text.to_owned()))
        }
    }
}

impl fmt::Display for DueDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_moments_are_dates_and_nothing_else_is() {
        for text in ["2026-12-31", "2028-02-29", "2026-12-31T18:00:00Z", "2026-12-31T18:00+01:00"] {
            assert_eq!(DueDate::parse(text).map(|date| date.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "tomorrow", "2026-13-01", "2026-02-29", "31.12.2026", "20261231"] {
            assert_eq!(DueDate::parse(text), Err(DueDateParseError(text.to_owned())));
        }
    }
}
