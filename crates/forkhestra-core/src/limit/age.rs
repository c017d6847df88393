//! Ages and their text syntax.

use std::time::Duration;

use super::{HumanDuration, LimitParseError, LimitQuantity};

const DAY: u64 = 24 * 60 * 60;
const WEEK: u64 = 7 * DAY;

/// An age such as `30d` or `12h`: a duration that also accepts days and weeks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age(Duration);

/// Why a text is not a valid age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AgeParseError {
    /// A number without a unit could be days or hours.
    #[error("needs a unit, as in `30d`, `2w` or `12h`")]
    NoUnit,
    #[error("is not an age in weeks, days, hours and minutes such as `30d` or `12h`")]
    NotAnAge,
    #[error("must be more than zero")]
    NotPositive,
}

impl Age {
    /// Parses an age: whole weeks and days, then a time.
    pub fn parse(text: &str) -> Result<Self, AgeParseError> {
        let text = text.trim();
        if text.parse::<f64>().is_ok() {
            return Err(AgeParseError::NoUnit);
        }
        let (days, rest) = days(text)?;
        let only_days = rest.is_empty() && !text.is_empty();
        let time = if only_days { Duration::ZERO } else { time(rest)? };
        let age = days.checked_add(time).ok_or(AgeParseError::NotAnAge)?;
        if age.is_zero() { Err(AgeParseError::NotPositive) } else { Ok(Self(age)) }
    }

    /// The age as a duration. A day has 24 hours.
    pub const fn duration(self) -> Duration {
        self.0
    }
}

fn time(text: &str) -> Result<Duration, AgeParseError> {
    HumanDuration::parse(text).map(HumanDuration::duration).map_err(|why| match why {
        LimitParseError::NotPositive => AgeParseError::NotPositive,
        _ => AgeParseError::NotAnAge,
    })
}

/// The weeks and days at the beginning of a text, and the rest.
fn days(text: &str) -> Result<(Duration, &str), AgeParseError> {
    let mut seconds = 0_u64;
    let mut rest = text;
    loop {
        let (number, behind) = rest.split_at(length(rest, |c| c.is_ascii_digit()));
        let behind = behind.trim_start();
        let (unit, behind) = behind.split_at(length(behind, char::is_alphabetic));
        let unit = match unit {
            "d" | "day" | "days" => DAY,
            "w" | "week" | "weeks" => WEEK,
            _ => return Ok((Duration::from_secs(seconds), rest)),
        };
        let part = number.parse().ok().and_then(|number: u64| number.checked_mul(unit));
        let sum = part.and_then(|part| seconds.checked_add(part));
        seconds = sum.ok_or(AgeParseError::NotAnAge)?;
        rest = behind.trim_start();
    }
}

/// The length of the prefix whose characters match, in bytes.
fn length(text: &str, is_like_this: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_like_this(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages() {
        let hours = |hours: u64| Ok(Duration::from_secs(hours * 3600));
        let table = [
            ("30d", hours(720)),
            ("2w", hours(336)),
            ("1w 2d", hours(216)),
            ("1d12h", hours(36)),
            ("1 day 12 hours", hours(36)),
            ("12h", hours(12)),
            ("90m", Ok(Duration::from_secs(5400))),
            ("30", Err(AgeParseError::NoUnit)),
            ("1.5", Err(AgeParseError::NoUnit)),
            ("0d", Err(AgeParseError::NotPositive)),
            ("0s", Err(AgeParseError::NotPositive)),
            ("-5m", Err(AgeParseError::NotPositive)),
            ("-5d", Err(AgeParseError::NotAnAge)),
            ("d", Err(AgeParseError::NotAnAge)),
            ("1.5d", Err(AgeParseError::NotAnAge)),
            ("1d later", Err(AgeParseError::NotAnAge)),
            ("99999999999999999w", Err(AgeParseError::NotAnAge)),
            ("99999999999999999999999d", Err(AgeParseError::NotAnAge)),
            ("off", Err(AgeParseError::NotAnAge)),
            ("soon", Err(AgeParseError::NotAnAge)),
            ("", Err(AgeParseError::NotAnAge)),
        ];
        for (text, expected) in table {
            assert_eq!(Age::parse(text).map(Age::duration), expected, "{text:?}");
        }
    }
}
