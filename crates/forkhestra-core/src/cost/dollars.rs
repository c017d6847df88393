//! An amount of money that was spent.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limit::Usd;

/// An amount that was spent, exact to a billionth of a dollar.
///
/// Unlike a limit ([`Usd`]) it may be zero. Sums and differences saturate.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Dollars {
    nanos: u64,
}

const NANOS: u64 = 1_000_000_000;

/// A billion dollars: a larger reported amount is invalid.
const MAX_DOLLARS: f64 = 1e9;

/// The smallest amount that is shown as a number.
const MIN_SHOWN_NANOS: u64 = NANOS / 10_000;

impl Dollars {
    /// No money.
    pub const ZERO: Self = Self { nanos: 0 };

    /// An amount of billionths of a dollar.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self { nanos }
    }

    /// The amount in billionths of a dollar.
    pub const fn nanos(self) -> u64 {
        self.nanos
    }

    /// Converts an amount as agents report it, rounded to the nearest billionth.
    ///
    /// Negative amounts, NaN and more than a billion are invalid.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        if !(0.0..=MAX_DOLLARS).contains(&dollars) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked"
        )]
        let nanos = (dollars * 1e9).round() as u64;
        Some(Self { nanos })
    }

    /// The amount in dollars, as JSON has it. Amounts below four million dollars are exact.
    pub fn to_dollars(self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "what is spent is far below 2^52 billionths"
        )]
        let nanos = self.nanos as f64;
        nanos / 1e9
    }

    /// Whether the amount is zero.
    pub const fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Whether a limit is reached.
    pub fn at_least(self, limit: Usd) -> bool {
        u128::from(self.nanos) >= limit.nanos()
    }
}

impl Add for Dollars {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { nanos: self.nanos.saturating_add(other.nanos) }
    }
}

impl AddAssign for Dollars {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Dollars {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { nanos: self.nanos.saturating_sub(other.nanos) }
    }
}

impl Sum for Dollars {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

/// Four decimals, so that amounts in a column align and add up. A smaller amount that is not zero
/// is `<$0.0001`.
impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.nanos.saturating_add(MIN_SHOWN_NANOS / 2) / MIN_SHOWN_NANOS;
        if shown == 0 && self.nanos > 0 {
            return f.pad("<$0.0001");
        }
        f.pad(&format!("${}.{:04}", shown / 10_000, shown % 10_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::LimitQuantity as _;

    #[test]
    fn amounts_are_shown_with_four_decimals() {
        let table = [
            (0, "$0.0000"),
            (1, "<$0.0001"),
            (49_999, "<$0.0001"),
            (50_000, "$0.0001"),
            (100_000, "$0.0001"),
            (34_200_000, "$0.0342"),
            (34_249_999, "$0.0342"),
            (34_250_000, "$0.0343"),
            (99_950_000, "$0.1000"),
            (12_500_000_000, "$12.5000"),
            (12_345_000_000, "$12.3450"),
            (999_999_999_999, "$1000.0000"),
            (u64::MAX, "$18446744073.7095"),
        ];
        for (nanos, expected) in table {
            assert_eq!(Dollars::from_nanos(nanos).to_string(), expected, "{nanos}");
        }
        assert_eq!(format!("[{:>8}]", Dollars::from_nanos(34_200_000)), "[ $0.0342]");
    }

    #[test]
    fn reported_costs_are_rounded_to_the_billionth() {
        let table = [
            (0.0, Some(0)),
            (-0.0, Some(0)),
            (0.007_795, Some(7_795_000)),
            (0.004_650_000_000_000_000_5, Some(4_650_000)),
            (0.010_499_999_999_999_999, Some(10_500_000)),
            (4e-10, Some(0)),
            (1e9, Some(1_000_000_000_000_000_000)),
            (1.1e9, None),
            (-0.01, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ];
        for (dollars, expected) in table {
            assert_eq!(Dollars::from_dollars(dollars).map(Dollars::nanos), expected, "{dollars}");
        }
    }

    #[test]
    fn a_limit_is_reached_to_the_billionth() {
        let limit = Usd::parse("2.50").expect("an amount");
        assert!(!Dollars::from_nanos(2_499_999_999).at_least(limit));
        assert!(Dollars::from_nanos(2_500_000_000).at_least(limit));
        // This many millionths exceed the range of billionths.
        let huge = Usd::parse("18446744073709.551615").expect("an amount");
        assert!(!Dollars::from_nanos(u64::MAX).at_least(huge));
    }
}
