//! How often a loop may start its agent.

use std::fmt;
use std::num::NonZeroU32;

use serde::Serialize;

/// A positive number of iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Iterations(NonZeroU32);

/// Why a text is not a number of iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotIterations {
    /// Zero iterations would do nothing.
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

impl Iterations {
    /// Reads a count as it is written in the DSL, in JSON or after a flag.
    pub fn parse(text: &str) -> Result<Self, NotIterations> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(NotIterations::NotANumber);
        }
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let is_number = digits.parse::<f64>().is_ok();
            return Err(if is_number {
                NotIterations::Fraction
            } else {
                NotIterations::NotANumber
            });
        }
        if digits.len() < text.len() {
            return Err(NotIterations::Negative);
        }
        // Only digits are left, so the one way to fail is to be too large.
        let number = text.parse::<u32>().map_err(|_| NotIterations::TooLarge)?;
        NonZeroU32::new(number).map(Self).ok_or(NotIterations::Zero)
    }

    /// The number itself.
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for Iterations {
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
            ("4294967296", Err(NotIterations::TooLarge)),
            ("99999999999999999999", Err(NotIterations::TooLarge)),
            ("0", Err(NotIterations::Zero)),
            ("-1", Err(NotIterations::Negative)),
            ("1.5", Err(NotIterations::Fraction)),
            ("-1.5", Err(NotIterations::Fraction)),
            ("1e3", Err(NotIterations::Fraction)),
            ("", Err(NotIterations::NotANumber)),
            ("-", Err(NotIterations::NotANumber)),
            ("+3", Err(NotIterations::NotANumber)),
            ("x", Err(NotIterations::NotANumber)),
            ("3x", Err(NotIterations::NotANumber)),
            ("٣", Err(NotIterations::NotANumber)),
        ];
        for (text, expected) in table {
            assert_eq!(Iterations::parse(text).map(Iterations::get), expected, "{text:?}");
        }
    }
}
