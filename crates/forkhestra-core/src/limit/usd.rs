//! Money as people write it.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{NotALimit, Quantity};

/// An amount of US dollars, exact to the millionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd {
    micros: u64,
}

impl Usd {
    /// The amount in millionths of a dollar.
    pub const fn micros(self) -> u64 {
        self.micros
    }
}

impl Quantity for Usd {
    fn parse(text: &str) -> Result<Self, NotALimit> {
        if text.starts_with('-') && text.parse::<f64>().is_ok() {
            return Err(NotALimit::NotPositive);
        }
        let text = text.strip_prefix('$').unwrap_or(text);
        let (dollars, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !is_digits(dollars) || !is_digits(fraction) || fraction.len() > 6 {
            return Err(NotALimit::NotMoney);
        }
        let number = |digits: &str| digits.parse::<u64>().map_err(|_| NotALimit::NotMoney);
        let micros = number(dollars)?
            .checked_mul(1_000_000)
            .and_then(|micros| micros.checked_add(number(&format!("{fraction:0<6}")).ok()?))
            .ok_or(NotALimit::NotMoney)?;
        if micros == 0 { Err(NotALimit::NotPositive) } else { Ok(Self { micros }) }
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

/// Dollars.
impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "a budget is far below 2^52 millionths")]
        let dollars = self.micros as f64 / 1e6;
        serializer.serialize_f64(dollars)
    }
}

#[cfg(test)]
mod tests {
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
            ("0", Err(NotALimit::NotPositive)),
            ("-3", Err(NotALimit::NotPositive)),
            ("0.0000001", Err(NotALimit::NotMoney)),
            ("1e3", Err(NotALimit::NotMoney)),
            (".5", Err(NotALimit::NotMoney)),
            ("5.", Err(NotALimit::NotMoney)),
            ("99999999999999999999", Err(NotALimit::NotMoney)),
            ("five", Err(NotALimit::NotMoney)),
            ("", Err(NotALimit::NotMoney)),
        ];
        for (text, expected) in table {
            assert_eq!(shown::<Usd>(text), expected.map(str::to_owned), "{text:?}");
        }
    }
}
