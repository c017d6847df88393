//! Dollars per million tokens.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The price of a million tokens of one kind, exact to a millionth of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenRate {
    /// Millionths of a dollar per million tokens, that is millionths of a millionth per token.
    micros: u64,
}

/// A dollar per token. It keeps every product of tokens and rates within 128 bits.
const MAX_RATE: f64 = 1e6;

/// The largest distance of a parsed decimal number from a whole number of millionths.
const TOLERANCE: f64 = 1e-3;

impl TokenRate {
    /// A rate in dollars per million tokens.
    ///
    /// None for a negative number, NaN, more than a dollar per token, or more than six decimals.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let exact = dollars * 1e6;
        let micros = exact.round();
        if !(0.0..=MAX_RATE).contains(&dollars) || (exact - micros).abs() > TOLERANCE {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked"
        )]
        let micros = micros as u64;
        Some(Self { micros })
    }

    /// The cost of tokens in millionths of a millionth of a dollar.
    pub(super) fn of(self, tokens: u64) -> u128 {
        u128::from(tokens) * u128::from(self.micros)
    }

    fn dollars(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a rate is far below 2^52 millionths")]
        let micros = self.micros as f64;
        micros / 1e6
    }
}

impl fmt::Display for TokenRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, fraction) =
            (self.micros / 1_000_000, format!("{:06}", self.micros % 1_000_000));
        write!(f, "${dollars}.{:0<2}", fraction.trim_end_matches('0'))
    }
}

/// Dollars per million tokens.
impl Serialize for TokenRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for TokenRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::from_dollars(dollars).ok_or_else(|| {
            let found = de::Unexpected::Float(dollars);
            de::Error::invalid_value(found, &"dollars per million tokens, to six decimals")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_exact_or_none() {
        let table = [
            (0.0, Some("$0.00")),
            (3.0, Some("$3.00")),
            (0.125, Some("$0.125")),
            (18.75, Some("$18.75")),
            (0.000_001, Some("$0.000001")),
            (999_999.999_999, Some("$999999.999999")),
            (1e6, Some("$1000000.00")),
            (0.000_000_1, None),
            (0.000_001_5, None),
            (1e6 + 1.0, None),
            (-1.0, None),
            (f64::NAN, None),
        ];
        for (dollars, expected) in table {
            let rate = TokenRate::from_dollars(dollars).map(|rate| rate.to_string());
            assert_eq!(rate.as_deref(), expected, "{dollars}");
        }
    }
}
