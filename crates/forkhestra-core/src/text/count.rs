//! Positive whole numbers, as people write them.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// A positive whole number, such as the most iterations of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Count(NonZeroU32);

/// Why a text is not a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CountParseError {
    /// Zero would mean to do nothing.
    #[error("must be at least 1")]
    Zero,
    /// A minus sign.
    #[error("must not be negative")]
    Negative,
    /// A fraction or an exponent.
    #[error("must be a whole number")]
    Fraction,
    /// More than the type holds.
    #[error("is too large: at most {} is possible", u32::MAX)]
    TooLarge,
    /// Not a number at all.
    #[error("is not a number")]
    NotANumber,
}

impl Count {
    /// Makes a count of a number.
    pub const fn new(number: NonZeroU32) -> Self {
        Self(number)
    }

    /// Reads a count as it is written in the DSL, in JSON or after a flag.
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
        // Only digits are left, so the one way to fail is to be too large.
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
    fn counts_and_what_are_none() {
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
