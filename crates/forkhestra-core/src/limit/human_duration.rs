//! Durations and their text syntax.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{LimitParseError, LimitQuantity};

/// A duration that a user wrote, such as `90s` or `1h 30m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HumanDuration(Duration);

/// Up to here, round values are whole seconds.
const LAST_SECONDS: u64 = 120;

impl HumanDuration {
    /// A number of whole seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// The value as a [`Duration`].
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl LimitQuantity for HumanDuration {
    const VALUE_NAME: &'static str = "TIME";
    const EXAMPLE: &'static str = "such as 90m or 1h 30m, or off";

    fn parse(text: &str) -> Result<Self, LimitParseError> {
        let text = text.trim();
        if text.parse::<f64>().is_ok() {
            return Err(LimitParseError::NoUnit);
        }
        // The library also parses clock times and ISO 8601, which are not part of the documented
        // syntax.
        if text.contains(':') || text.starts_with(['P', 'p']) {
            return Err(LimitParseError::NotADuration);
        }
        let duration: SignedDuration = text.parse().map_err(|_| LimitParseError::NotADuration)?;
        let positive = Duration::try_from(duration).map_err(|_| LimitParseError::NotPositive)?;
        if positive.is_zero() { Err(LimitParseError::NotPositive) } else { Ok(Self(positive)) }
    }

    /// Whole seconds up to two minutes, then whole minutes.
    fn nth(number: NonZeroU32) -> Self {
        let number = u64::from(number.get());
        let minutes = number.saturating_sub(LAST_SECONDS) + LAST_SECONDS / 60;
        Self::from_secs(if number <= LAST_SECONDS { number } else { minutes * 60 })
    }
}

impl fmt::Display for HumanDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A `HumanDuration` was made from a signed duration or from few seconds, so it fits into
        // one.
        let signed = SignedDuration::try_from(self.0).unwrap_or(SignedDuration::MAX);
        write!(f, "{signed:#}")
    }
}

/// Seconds, so that readers of the JSON need no parser for durations.
impl Serialize for HumanDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanos() {
            0 => serializer.serialize_u64(self.0.as_secs()),
            _ => serializer.serialize_f64(self.0.as_secs_f64()),
        }
    }
}

impl<'de> Deserialize<'de> for HumanDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SecondsParser).map(Self)
    }
}

/// Parses whole seconds exactly, and fractions to the nearest representable value.
struct SecondsParser;

impl de::Visitor<'_> for SecondsParser {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of seconds that is more than zero")
    }

    fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Duration, E> {
        match seconds {
            0 => Err(E::invalid_value(de::Unexpected::Unsigned(0), &self)),
            _ => Ok(Duration::from_secs(seconds)),
        }
    }

    fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<Duration, E> {
        nearest(seconds)
            .filter(|duration| !duration.is_zero())
            .ok_or_else(|| E::invalid_value(de::Unexpected::Float(seconds), &self))
    }
}

/// The duration that was written as this number. For large values a float cannot hold nanoseconds,
/// so the nearest milliseconds within its precision are used.
fn nearest(seconds: f64) -> Option<Duration> {
    let exact = Duration::try_from_secs_f64(seconds).ok()?;
    let whole = exact.saturating_add(Duration::from_micros(500));
    let milliseconds = Duration::new(whole.as_secs(), whole.subsec_millis() * 1_000_000);
    let room = seconds * 2.0 * f64::EPSILON;
    let is_meant = exact.abs_diff(milliseconds).as_secs_f64() <= room;
    Some(if is_meant { milliseconds } else { exact })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limit::tests::shown;

    #[test]
    fn durations() {
        let table = [
            ("90s", Ok("1m 30s")),
            ("30m", Ok("30m")),
            ("1h30m", Ok("1h 30m")),
            ("90 minutes", Ok("1h 30m")),
            ("250ms", Ok("250ms")),
            ("off", Ok("off")),
            ("90", Err(LimitParseError::NoUnit)),
            ("1.5", Err(LimitParseError::NoUnit)),
            ("0s", Err(LimitParseError::NotPositive)),
            ("-5m", Err(LimitParseError::NotPositive)),
            ("soon", Err(LimitParseError::NotADuration)),
            ("1d", Err(LimitParseError::NotADuration)),
            ("01:30:00", Err(LimitParseError::NotADuration)),
            ("PT1H", Err(LimitParseError::NotADuration)),
            ("", Err(LimitParseError::NotADuration)),
        ];
        for (text, expected) in table {
            assert_eq!(shown::<HumanDuration>(text), expected.map(str::to_owned), "{text:?}");
        }
    }

    fn read_back(duration: Duration) -> HumanDuration {
        let json = serde_json::to_string(&HumanDuration(duration)).expect("a number");
        serde_json::from_str(&json).expect("a time")
    }

    #[test]
    fn an_invalid_time_is_refused() {
        for json in ["0", "0.0", "-1", "-0.5", "1e30", "\"90s\"", "null", "1e-12"] {
            assert!(serde_json::from_str::<HumanDuration>(json).is_err(), "{json}");
        }
    }

    proptest! {
        #[test]
        fn whole_seconds_read_back(seconds in 1u64..) {
            let duration = Duration::from_secs(seconds);
            prop_assert_eq!(read_back(duration).duration(), duration);
        }

        #[test]
        fn milliseconds_of_thousands_of_years_read_back(milliseconds in 1u64..1 << 47) {
            let duration = Duration::from_millis(milliseconds);
            prop_assert_eq!(read_back(duration).duration(), duration);
        }

        #[test]
        fn nanoseconds_of_a_week_read_back(nanoseconds in 1u64..7 * 86_400 * 1_000_000_000) {
            let duration = Duration::from_nanos(nanoseconds);
            prop_assert_eq!(read_back(duration).duration(), duration);
        }
    }
}
