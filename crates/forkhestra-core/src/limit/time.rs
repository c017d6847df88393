//! Time as people write it.

use std::fmt;
use std::time::Duration;

use jiff::SignedDuration;
use serde::{Serialize, Serializer};

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

#[cfg(test)]
mod tests {
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
}
