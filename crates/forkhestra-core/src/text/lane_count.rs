//! Numbers of lanes and their text syntax.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How many lanes a stage has: from 2 to 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct LaneCount(u8);

/// A number that is not a valid number of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from {} to {}", LaneCount::MIN, LaneCount::MAX)]
pub struct LaneCountError;

impl LaneCount {
    /// The fewest lanes: an agent that is alone works in the work tree itself.
    pub const MIN: u8 = 2;
    /// The most lanes.
    pub const MAX: u8 = 64;

    /// Creates a number of lanes.
    pub const fn new(number: u8) -> Result<Self, LaneCountError> {
        if number < Self::MIN || number > Self::MAX {
            return Err(LaneCountError);
        }
        Ok(Self(number))
    }

    /// Parses digits from the DSL, JSON or the value of a flag.
    pub fn parse(text: &str) -> Result<Self, LaneCountError> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(LaneCountError);
        }
        // Only digits are left, so the only error is an overflow.
        text.parse().map_err(|_| LaneCountError).and_then(Self::new)
    }

    /// The number itself.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for LaneCount {
    type Error = LaneCountError;

    fn try_from(number: u8) -> Result<Self, LaneCountError> {
        Self::new(number)
    }
}

impl From<LaneCount> for u8 {
    fn from(count: LaneCount) -> Self {
        count.0
    }
}

impl fmt::Display for LaneCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_two_to_sixty_four() {
        let table = [
            ("2", Some(2)),
            ("64", Some(64)),
            ("007", Some(7)),
            ("0", None),
            ("1", None),
            ("65", None),
            ("256", None),
            ("99999999999999999999", None),
            ("", None),
            ("-2", None),
            ("+2", None),
            ("2.5", None),
            ("٣", None),
        ];
        for (text, expected) in table {
            assert_eq!(LaneCount::parse(text).ok().map(LaneCount::get), expected, "{text:?}");
        }
    }

    #[test]
    fn a_number_out_of_range_is_not_read_from_json() {
        let read = |json: &str| serde_json::from_str::<LaneCount>(json).ok();
        assert_eq!(read("4"), LaneCount::parse("4").ok());
        assert_eq!((read("1"), read("65"), read("300")), (None, None, None));
        assert_eq!(serde_json::to_string(&read("4")).ok().as_deref(), Some("4"));
    }
}
