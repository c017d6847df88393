//! Positive whole numbers and their text syntax.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// A positive whole number, such as the maximum iterations of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Count(NonZeroU32);

/// Why a text is not a valid count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CountParseError {
    #[error("must be at least 1")]
    Zero,
    #[error("must not be negative")]
    Negative,
    #[error("must be a whole number")]
    Fraction,
    #[error("is too large: at most {} is possible", u32::MAX)]
    TooLarge,
    #[error("is not a number")]
    NotANumber,
}

impl Count {
    /// Creates a count from a number.
    pub const fn new(number: NonZeroU32) -> Self {
        Self(number)
    }

    /// Parses a count from the DSL, JSON or the value of a flag.
    pub fn parse(text: &str) -> Result<Self, CountParseError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(CountParseError::NotANumber);
        }
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let is_number = digits.parse::<f64>().is_ok();
            return Err(if is_number {
                CountParseError::Fraction
            } else {
                CountParseError::NotANumber
            });
        }
        if digits.len() < text.len() {
            return Err(CountParseError::Negative);
        }
        // Only digits are left, so the only error is an overflow.
        let number = text.parse::<u32>().map_err(|_| CountParseError::TooLarge)?;
        NonZeroU32::new(number).map(Self).ok_or(CountParseError::Zero)
    }

    /// The number itself.
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_and_invalid_counts() {
        let table = [
            ("1", Ok(1)),
            ("10", Ok(10)),
            ("007", Ok(7)),
            ("4294967295", Ok(u32::MAX)),
            ("4294967296", Err(CountParseError::TooLarge)),
            ("99999999999999999999", Err(CountParseError::TooLarge)),
            ("0", Err(CountParseError::Zero)),
            ("-1", Err(CountParseError::Negative)),
            ("1.5", Err(CountParseError::Fraction)),
            ("-1.5", Err(CountParseError::Fraction)),
            ("1e3", Err(CountParseError::Fraction)),
            ("", Err(CountParseError::NotANumber)),
            ("-", Err(CountParseError::NotANumber)),
            ("+3", Err(CountParseError::NotANumber)),
            ("x", Err(CountParseError::NotANumber)),
            ("3x", Err(CountParseError::NotANumber)),
            ("٣", Err(CountParseError::NotANumber)),
        ];
        for (text, expected) in table {
            assert_eq!(Count::parse(text).map(Count::get), expected, "{text:?}");
        }
    }
}
