//! A recording that is replayed instead of an agent.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The recording that replaces an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// The directory of the recording.
    pub recording: String,
    /// The one-based step of the recorded run.
    pub step: usize,
    pub speed: ReplaySpeed,
}

/// The speed of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaySpeed {
    /// Hundredths of the recorded speed.
    Hundredths(NonZeroU32),
    /// Without any wait.
    Max,
}

impl ReplaySpeed {
    /// The recorded speed.
    pub const RECORDED: Self = Self::Hundredths(NonZeroU32::new(100).expect("it is not zero"));

    /// Parses `2`, `0.5`, `10x` or `max`.
    pub fn parse(text: &str) -> Result<Self, ReplaySpeedParseError> {
        if text == "max" {
            return Ok(Self::Max);
        }
        let number = text.strip_suffix('x').unwrap_or(text);
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || part.len() > 2 || !is_number(whole) || !is_number(part) {
            return Err(ReplaySpeedParseError);
        }
        let hundredths: u32 =
            format!("{whole}{part:0<2}").parse().map_err(|_| ReplaySpeedParseError)?;
        NonZeroU32::new(hundredths).map(Self::Hundredths).ok_or(ReplaySpeedParseError)
    }
}

impl Default for ReplaySpeed {
    fn default() -> Self {
        Self::RECORDED
    }
}

impl fmt::Display for ReplaySpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Max => f.write_str("max"),
            Self::Hundredths(hundredths) => {
                match (hundredths.get() / 100, hundredths.get() % 100) {
                    (whole, 0) => write!(f, "{whole}"),
                    (whole, part) if part % 10 == 0 => write!(f, "{whole}.{}", part / 10),
                    (whole, part) => write!(f, "{whole}.{part:02}"),
                }
            }
        }
    }
}

/// The error for a text that is no speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a speed: write 1, 0.5, 20 or max")]
pub struct ReplaySpeedParseError;

impl Serialize for ReplaySpeed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ReplaySpeed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_read_back() {
        for (text, shown) in [
            ("1", "1"),
            ("10x", "10"),
            ("0.5", "0.5"),
            ("2.25", "2.25"),
            ("max", "max"),
            ("1.0", "1"),
        ] {
            let speed = ReplaySpeed::parse(text).expect(text);
            assert_eq!(speed.to_string(), shown);
            assert_eq!(ReplaySpeed::parse(shown), Ok(speed));
        }
        for text in ["", "0", "0.00", "-1", "1.234", "fast", ".5", "x", "99999999"] {
            assert_eq!(ReplaySpeed::parse(text), Err(ReplaySpeedParseError), "{text}");
        }
    }
}
