//! A spend in tokens and dollars, and its cost as far as it is known.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Dollars, TokenCounts};
use crate::event::wire::is_default;

/// A spend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spend {
    /// All tokens, priced or not.
    #[serde(flatten)]
    pub tokens: TokenCounts,
    /// The part whose price is known, in billionths of a US dollar, so that it is exact.
    #[serde(rename = "nanodollars")]
    pub dollars: Dollars,
    // Tokens without a known price were used, so the true cost is higher.
    /// Whether a part has no known price; left out if false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unpriced: bool,
}

impl Spend {
    /// Whether nothing was spent.
    pub const fn is_zero(&self) -> bool {
        self.tokens.is_zero() && self.dollars.is_zero()
    }

    /// Splits a spend into equal parts. The first part gets the remainder.
    pub fn split_evenly(self, parts: usize) -> impl Iterator<Item = Self> {
        let count = u64::try_from(parts).unwrap_or(u64::MAX).max(1);
        let part = move |number: u64, total: u64| {
            total / count + if number == 0 { total % count } else { 0 }
        };
        (0..count).take(parts).map(move |number| {
            let TokenCounts { input, output, cache_read, cache_write, cache_write_1h } =
                self.tokens;
            Self {
                tokens: TokenCounts {
                    input: part(number, input),
                    output: part(number, output),
                    cache_read: part(number, cache_read),
                    cache_write: part(number, cache_write),
                    cache_write_1h: part(number, cache_write_1h),
                },
                dollars: Dollars::from_nanos(part(number, self.dollars.nanos())),
                unpriced: self.unpriced,
            }
        })
    }

    /// The cost, as far as it is known.
    pub const fn cost(&self) -> Cost {
        match (self.unpriced, self.dollars.is_zero()) {
            (false, _) => Cost::Known(self.dollars),
            (true, false) => Cost::AtLeast(self.dollars),
            (true, true) => Cost::Unknown,
        }
    }
}

impl Add for Spend {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            tokens: self.tokens + other.tokens,
            dollars: self.dollars + other.dollars,
            unpriced: self.unpriced || other.unpriced,
        }
    }
}

impl AddAssign for Spend {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Spend {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

/// A cost. An unknown cost is never shown as zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    Known(Dollars),
    /// The known part; another part has no known price.
    AtLeast(Dollars),
    Unknown,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(dollars) => dollars.fmt(f),
            Self::AtLeast(dollars) => f.pad(&format!("at least {dollars}")),
            Self::Unknown => f.pad("unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_shows_its_unknown_part() {
        let table = [
            (0, false, "$0.0000"),
            (34_200_000, false, "$0.0342"),
            (34_200_000, true, "at least $0.0342"),
            (0, true, "unknown"),
        ];
        for (nanos, unpriced, expected) in table {
            let dollars = Dollars::from_nanos(nanos);
            let spend = Spend { dollars, unpriced, ..Spend::default() };
            assert_eq!(spend.cost().to_string(), expected);
        }
    }

    #[test]
    fn tokens_without_a_price_are_not_nothing() {
        let tokens = TokenCounts { cache_write_1h: 1, ..TokenCounts::default() };
        assert!(Spend::default().is_zero());
        assert!(!Spend { tokens, unpriced: true, ..Spend::default() }.is_zero());
        assert!(!Spend { dollars: Dollars::from_nanos(1), ..Spend::default() }.is_zero());
    }
}
