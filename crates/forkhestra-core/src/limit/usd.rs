//! Cost limits and their text syntax.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{LimitParseError, LimitQuantity};

/// An amount of US dollars, exact to the millionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd {
    micros: u64,
}

/// The largest number of millionths that is parsed; no real limit is as high.
const MAX_MICROS: f64 = u64::MAX as f64;

const MICROS_PER_CENT: u64 = 10_000;

impl Usd {
    /// A number of cents; none if it is too large.
    pub fn from_cents(cents: u128) -> Option<Self> {
        let micros = u64::try_from(cents.checked_mul(u128::from(MICROS_PER_CENT))?).ok()?;
        Some(Self { micros })
    }

    /// The amount in millionths of a dollar.
    pub const fn micros(self) -> u64 {
        self.micros
    }

    /// The amount in billionths of a dollar, the unit of [`Dollars`](crate::cost::Dollars).
    pub fn nanos(self) -> u128 {
        u128::from(self.micros) * 1000
    }
}

impl LimitQuantity for Usd {
    const VALUE_NAME: &'static str = "USD";
    const EXAMPLE: &'static str = "such as 5 or 2.50, or off";

    fn parse(text: &str) -> Result<Self, LimitParseError> {
        if text.starts_with('-') && text.parse::<f64>().is_ok() {
            return Err(LimitParseError::NotPositive);
        }
        let text = text.strip_prefix('$').unwrap_or(text);
        let (dollars, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !is_digits(dollars) || !is_digits(fraction) || fraction.len() > 6 {
            return Err(LimitParseError::NotMoney);
        }
        let number = |digits: &str| digits.parse::<u64>().map_err(|_| LimitParseError::NotMoney);
        let micros = number(dollars)?
            .checked_mul(1_000_000)
            .and_then(|micros| micros.checked_add(number(&format!("{fraction:0<6}")).ok()?))
            .ok_or(LimitParseError::NotMoney)?;
        if micros == 0 { Err(LimitParseError::NotPositive) } else { Ok(Self { micros }) }
    }

    /// Whole cents.
    fn nth(number: NonZeroU32) -> Self {
        Self { micros: u64::from(number.get()) * MICROS_PER_CENT }
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, micros) = (self.micros / 1_000_000, self.micros % 1_000_000);
        let fraction = format!("{micros:06}");
        let shown = fraction.trim_end_matches('0');
        write!(f, "${dollars}.{shown:0<2}")
    }
}

/// Dollars as a number.
impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "a budget is far below 2^52 millionths")]
        let dollars = self.micros as f64 / 1e6;
        serializer.serialize_f64(dollars)
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        let micros = (dollars * 1e6).round();
        if !(1.0..=MAX_MICROS).contains(&micros) {
            let found = de::Unexpected::Float(dollars);
            return Err(de::Error::invalid_value(found, &"an amount in US dollars"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked"
        )]
        let micros = micros as u64;
        Ok(Self { micros })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limit::tests::shown;

    #[test]
    fn money() {
        let table = [
            ("5", Ok("$5.00")),
            ("$2.5", Ok("$2.50")),
            ("0.0342", Ok("$0.0342")),
            ("0.000001", Ok("$0.000001")),
            ("off", Ok("off")),
            ("0", Err(LimitParseError::NotPositive)),
            ("-3", Err(LimitParseError::NotPositive)),
            ("0.0000001", Err(LimitParseError::NotMoney)),
            ("1e3", Err(LimitParseError::NotMoney)),
            (".5", Err(LimitParseError::NotMoney)),
            ("5.", Err(LimitParseError::NotMoney)),
            ("99999999999999999999", Err(LimitParseError::NotMoney)),
            ("five", Err(LimitParseError::NotMoney)),
            ("", Err(LimitParseError::NotMoney)),
        ];
        for (text, expected) in table {
            assert_eq!(shown::<Usd>(text), expected.map(str::to_owned), "{text:?}");
        }
    }

    #[test]
    fn an_invalid_amount_is_refused() {
        for json in ["0", "-1", "1e-9", "1e300", "\"5\"", "null"] {
            assert!(serde_json::from_str::<Usd>(json).is_err(), "{json}");
        }
        assert_eq!(serde_json::from_str::<Usd>("5").expect("an amount").micros(), 5_000_000);
    }

    proptest! {
        #[test]
        fn amounts_read_back(micros in 1u64..1 << 50) {
            let amount = Usd { micros };
            let json = serde_json::to_string(&amount).expect("a number");
            prop_assert_eq!(serde_json::from_str::<Usd>(&json).expect("an amount"), amount);
        }
    }
}
