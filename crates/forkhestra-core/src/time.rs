//! Points in wall-clock time, passed in by callers that have a clock.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp as Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point in time, exact to the millisecond.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(rename = "Moment", description = "A moment as it is printed.", extend("format" = "date-time"))]
pub struct Timestamp {
    milliseconds: i64,
}

/// Why a text is not a valid timestamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is not a timestamp such as `2026-11-15T07:59:12.123Z`")]
pub struct TimestampParseError;

impl Timestamp {
    /// Creates a timestamp from milliseconds since 1970, UTC.
    pub const fn from_milliseconds(milliseconds: i64) -> Self {
        Self { milliseconds }
    }

    /// Milliseconds since 1970, UTC.
    pub const fn milliseconds(self) -> i64 {
        self.milliseconds
    }

    /// The timestamp plus a duration.
    pub fn saturating_add(self, duration: Duration) -> Self {
        let passed = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self { milliseconds: self.milliseconds.saturating_add(passed) }
    }

    /// The duration since an earlier timestamp; zero if that is later, as after the clock was set
    /// back.
    pub fn saturating_since(self, earlier: Self) -> Duration {
        let passed = self.milliseconds.saturating_sub(earlier.milliseconds);
        Duration::from_millis(u64::try_from(passed).unwrap_or(0))
    }

    /// Parses a printed timestamp.
    pub fn parse(text: &str) -> Result<Self, TimestampParseError> {
        let instant: Instant = text.parse().map_err(|_| TimestampParseError)?;
        Ok(Self { milliseconds: instant.as_millisecond() })
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.to_string()
    }
}

/// ISO 8601 in UTC, always with milliseconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A clock that is thousands of years off must not cause a failure.
        let bound = if self.milliseconds < 0 { Instant::MIN } else { Instant::MAX };
        let instant = Instant::from_millisecond(self.milliseconds).unwrap_or(bound);
        write!(f, "{instant:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_read_back() {
        for text in ["2026-11-15T07:59:12.123Z", "1970-01-01T00:00:00.000Z"] {
            assert_eq!(Timestamp::parse(text).map(|moment| moment.to_string()), Ok(text.into()));
        }
    }

    #[test]
    fn timestamp_arithmetic_saturates() {
        let timestamp = Timestamp::from_milliseconds;
        assert_eq!(timestamp(1000).saturating_add(Duration::from_millis(234)), timestamp(1234));
        assert_eq!(timestamp(1000).saturating_add(Duration::MAX), timestamp(i64::MAX));
        assert_eq!(timestamp(1234).saturating_since(timestamp(1000)), Duration::from_millis(234));
        assert_eq!(timestamp(1000).saturating_since(timestamp(1234)), Duration::ZERO);
        assert_eq!(timestamp(i64::MIN).saturating_since(timestamp(i64::MAX)), Duration::ZERO);
    }

    #[test]
    fn other_texts_are_no_timestamps() {
        for text in ["", "yesterday", "2026-11-15", "2026-11-15T07:59:12.123"] {
            assert_eq!(Timestamp::parse(text), Err(TimestampParseError), "{text}");
        }
    }
}
