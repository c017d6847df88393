//! The share of a window above which no agent is started.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::quota_reading::QuotaReading;
use crate::time::Timestamp;

/// The word for a usage that is spread evenly over the window.
const EVEN: &str = "even";

/// The share of a window above which no agent is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaThreshold {
    /// This share, from 1 to 100 percent.
    Percent(u8),
    /// In part n of the window (hour n of five, day n of seven), n parts of it.
    Even,
}

/// Why a text is not a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuotaThresholdError {
    #[error("is not a share; write a whole number of percent such as `90%`, or `even`")]
    NotAShare,
    #[error("needs a percent sign, as in `90%`")]
    NoPercentSign,
    #[error("would never start an agent; write `1%` to `100%`, or `even`")]
    Zero,
    #[error("is more than the whole window; write `1%` to `100%`, or `even`")]
    TooMuch,
}

impl QuotaThreshold {
    /// Parses a threshold.
    pub fn parse(text: &str) -> Result<Self, QuotaThresholdError> {
        if text == EVEN {
            return Ok(Self::Even);
        }
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let Some(digits) = text.strip_suffix('%').map(str::trim_end) else {
            return Err(match is_number(text) {
                true => QuotaThresholdError::NoPercentSign,
                false => QuotaThresholdError::NotAShare,
            });
        };
        if !is_number(digits) {
            return Err(QuotaThresholdError::NotAShare);
        }
        match digits.parse() {
            Ok(0) => Err(QuotaThresholdError::Zero),
            Ok(percent @ 1..=100) => Ok(Self::Percent(percent)),
            _ => Err(QuotaThresholdError::TooMuch),
        }
    }

    /// When the window allows another agent; none if it does now.
    pub fn allows_from(self, reading: QuotaReading, now: Timestamp) -> Option<Timestamp> {
        if !reading.holds_at(now) {
            return None;
        }
        let from = match self {
            Self::Percent(percent) if reading.used <= u16::from(percent) => return None,
            Self::Percent(_) => reading.resets,
            Self::Even => even_from(reading)?,
        };
        (now < from).then_some(from)
    }
}

/// The beginning of the first part of the window whose share covers what is used, or its reset if
/// none does. None for the first part: the clock of the provider may be ahead of ours.
fn even_from(reading: QuotaReading) -> Option<Timestamp> {
    let window = reading.window;
    let part = (u32::from(reading.used) * window.parts()).div_ceil(100);
    if part <= 1 {
        return None;
    }
    let parts_left = (window.parts() + 1).saturating_sub(part);
    let left = window.part_length() * parts_left;
    let left = i64::try_from(left.as_millis()).unwrap_or(i64::MAX);
    Some(Timestamp::from_milliseconds(reading.resets.milliseconds().saturating_sub(left)))
}

impl fmt::Display for QuotaThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::Even => f.write_str(EVEN),
        }
    }
}

impl Serialize for QuotaThreshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for QuotaThreshold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|why| de::Error::custom(format_args!("`{text}` {why}")))
    }
}
