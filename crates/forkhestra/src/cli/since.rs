//! The value of `--since`: an age or a date.

use forkhestra_core::limit::{Age, AgeParseError};
use forkhestra_core::time::Timestamp;

use crate::report::text::local_time::start_of_day;

/// Since when something counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// An age such as `30d`.
    Age(Age),
    /// A point in time: the start of a day such as `2026-11-01`.
    Time(Timestamp),
}

impl Since {
    /// Parses an age, or a date in the local time zone.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let looks_like_date = text.len() > 4 && text.as_bytes()[4] == b'-';
        if looks_like_date {
            let date = start_of_day(text.trim()).map(Self::Time);
            return date.ok_or_else(|| "is not a date such as `2026-11-01`".to_owned());
        }
        Age::parse(text).map(Self::Age).map_err(|why| match why {
            AgeParseError::NotAnAge => {
                "is neither an age such as `30d` or `12h` nor a date such as `2026-11-01`"
                    .to_owned()
            }
            why => why.to_string(),
        })
    }

    /// The point in time.
    pub(crate) fn timestamp(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Age(age) => {
                let age = i64::try_from(age.duration().as_millis()).unwrap_or(i64::MAX);
                Timestamp::from_milliseconds(now.milliseconds().saturating_sub(age))
            }
            Self::Time(time) => time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_dates_are_points_in_time() {
        let now = Timestamp::parse("2026-11-18T12:00:00Z").expect("a time");
        for (text, expected) in [
            ("12h", "2026-11-18T00:00:00.000Z"),
            ("30d", "2026-10-19T12:00:00.000Z"),
            ("2w", "2026-11-04T12:00:00.000Z"),
            ("2026-11-01", "2026-11-01T00:00:00.000Z"),
        ] {
            let since = Since::parse(text).expect("it is one");
            assert_eq!(since.timestamp(now).to_string(), expected, "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_what_is_expected() {
        for (text, expected) in [
            ("30", "needs a unit"),
            ("0d", "more than zero"),
            ("yesterday", "neither an age"),
            ("", "neither an age"),
            ("2026-02-30", "is not a date"),
            ("2026-11-01T10:00", "is not a date"),
        ] {
            let error = Since::parse(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
