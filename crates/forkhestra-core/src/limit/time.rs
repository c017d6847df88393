//! Time as people write it.

use std::fmt;
use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{NotALimit, Quantity};

/// A span of time a person wrote, such as `90s` or `1h 30m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(Duration);

impl Time {
    /// A number of whole seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// The time as a duration.
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl Quantity for Time {
    const VALUE_NAME: &'static str = "TIME";

    fn parse(text: &str) -> Result<Self, NotALimit> {
        let text = text.trim();
        if text.parse::<f64>().is_ok() {
            return Err(NotALimit::NoUnit);
        }
        // The library also reads clock times and ISO 8601, which we do not promise.
        if text.contains(':') || text.starts_with(['P', 'p']) {
            return Err(NotALimit::NotADuration);
        }
        let duration: SignedDuration = text.parse().map_err(|_| NotALimit::NotADuration)?;
        let positive = Duration::try_from(duration).map_err(|_| NotALimit::NotPositive)?;
        if positive.is_zero() { Err(NotALimit::NotPositive) } else { Ok(Self(positive)) }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A `Time` was made from a signed duration or from few seconds, so it fits into one.
        let signed = SignedDuration::try_from(self.0).unwrap_or(SignedDuration::MAX);
        write!(f, "{signed:#}")
    }
}

/// Seconds, so that no reader needs to know our spelling of durations.
impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanos() {
            0 => serializer.serialize_u64(self.0.as_secs()),
            _ => serializer.serialize_f64(self.0.as_secs_f64()),
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Seconds).map(Self)
    }
}

/// Reads whole seconds exactly, and fractions as nearly as anybody writes them.
struct Seconds;

impl de::Visitor<'_> for Seconds {
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

/// The duration that was written as this number. Days of seconds leave a float no room for
/// nanoseconds, so milliseconds that come as close as the float allows are what was meant.
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
            ("90", Err(NotALimit::NoUnit)),
            ("1.5", Err(NotALimit::NoUnit)),
            ("0s", Err(NotALimit::NotPositive)),
            ("-5m", Err(NotALimit::NotPositive)),
            ("soon", Err(NotALimit::NotADuration)),
            ("1d", Err(NotALimit::NotADuration)),
            ("01:30:00", Err(NotALimit::NotADuration)),
            ("PT1H", Err(NotALimit::NotADuration)),
            ("", Err(NotALimit::NotADuration)),
        ];
        for (text, expected) in table {
            assert_eq!(shown::<Time>(text), expected.map(str::to_owned), "{text:?}");
        }
    }

    fn read_back(duration: Duration) -> Time {
        let json = serde_json::to_string(&Time(duration)).expect("a number");
        serde_json::from_str(&json).expect("a time")
    }

    #[test]
    fn what_is_no_time_is_not_read() {
        for json in ["0", "0.0", "-1", "-0.5", "1e30", "\"90s\"", "null", "1e-12"] {
            assert!(serde_json::from_str::<Time>(json).is_err(), "{json}");
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
