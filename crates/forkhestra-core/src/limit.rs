//! Limits on time, money and patience, as people write them.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use jiff::SignedDuration;
use serde::{Serialize, Serializer};

/// The word that turns a limit off.
pub const OFF: &str = "off";

/// A limit that may be turned off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit<T> {
    /// No limit.
    Off,
    /// Stop here.
    At(T),
}

/// A span of time a person wrote, such as `90s` or `1h 30m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(Duration);

/// An amount of US dollars, exact to the millionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd {
    micros: u64,
}

/// How many times something may happen in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Times(NonZeroU32);

/// Why a text is not a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotALimit {
    /// A number without a unit could be seconds or minutes.
    #[error("needs a unit, as in `90s`, `30m` or `1h 30m`")]
    NoUnit,
    /// Not a duration.
    #[error("is not a duration; write it as `90s`, `30m` or `1h 30m`, or `off`")]
    NotADuration,
    /// Not an amount of money.
    #[error("is not an amount in US dollars; write it as `5` or `2.50`, or `off`")]
    NotMoney,
    /// Not a count.
    #[error("is not a positive whole number, or `off`")]
    NotACount,
    /// Zero or less.
    #[error("must be more than zero; `off` turns the limit off")]
    NotPositive,
}

/// Something a limit can be made of.
pub trait Quantity: Sized {
    /// Reads it as it is written after a flag.
    fn parse(text: &str) -> Result<Self, NotALimit>;
}

impl<T: Quantity> Limit<T> {
    /// Reads a limit as it is written after a flag.
    pub fn parse(text: &str) -> Result<Self, NotALimit> {
        if text == OFF { Ok(Self::Off) } else { T::parse(text).map(Self::At) }
    }
}

impl Time {
    /// A number of whole seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// The time as a duration.
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl Quantity for Time {
    fn parse(text: &str) -> Result<Self, NotALimit> {
        let text = text.trim();
        if text.parse::<f64>().is_ok() {
            return Err(NotALimit::NoUnit);
        }
        let duration: SignedDuration = text.parse().map_err(|_| NotALimit::NotADuration)?;
        let positive = Duration::try_from(duration).map_err(|_| NotALimit::NotPositive)?;
        if positive.is_zero() { Err(NotALimit::NotPositive) } else { Ok(Self(positive)) }
    }
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

impl Quantity for Times {
    fn parse(text: &str) -> Result<Self, NotALimit> {
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotALimit::NotACount);
        }
        let number: u32 = text.parse().map_err(|_| NotALimit::NotACount)?;
        NonZeroU32::new(number).map(Self).ok_or(NotALimit::NotPositive)
    }
}

impl Times {
    /// The number itself.
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl<T: fmt::Display> fmt::Display for Limit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str(OFF),
            Self::At(limit) => limit.fmt(f),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A `Time` was made from a signed duration or from few seconds, so it fits into one.
        let signed = SignedDuration::try_from(self.0).unwrap_or(SignedDuration::MAX);
        write!(f, "{signed:#}")
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

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Serialize> Serialize for Limit<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_none(),
            Self::At(limit) => limit.serialize(serializer),
        }
    }
}

/// Seconds, so that no reader needs to know our spelling of durations.
impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanos() {
            0 => serializer.serialize_u64(self.0.as_secs()),
            _ => serializer.serialize_f64(self.0.as_secs_f64()),
        }
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

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<T: Quantity + fmt::Display>(text: &str) -> Result<String, NotALimit> {
        Limit::<T>::parse(text).map(|limit| limit.to_string())
    }

    #[test]
    fn durations() {
        let table = [
            ("90s", Ok("1m 30s")),
            ("30m", Ok("30m")),
            ("1h30m", Ok("1h 30m")),
            ("90 minutes", Ok("1h 30m")),
            ("250ms", Ok("250ms")),
            ("off", Ok("off")),
            ("90", Err(NotALimit::NoUnit)),
            ("1.5", Err(NotALimit::NoUnit)),
            ("0s", Err(NotALimit::NotPositive)),
            ("-5m", Err(NotALimit::NotPositive)),
            ("soon", Err(NotALimit::NotADuration)),
            ("", Err(NotALimit::NotADuration)),
        ];
        for (text, expected) in table {
            assert_eq!(shown::<Time>(text), expected.map(str::to_owned), "{text:?}");
        }
    }

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

    #[test]
    fn counts() {
        let table = [
            ("3", Ok("3")),
            ("off", Ok("off")),
            ("0", Err(NotALimit::NotPositive)),
            ("-1", Err(NotALimit::NotACount)),
            ("", Err(NotALimit::NotACount)),
            ("4294967296", Err(NotALimit::NotACount)),
        ];
        for (text, expected) in table {
            assert_eq!(shown::<Times>(text), expected.map(str::to_owned), "{text:?}");
        }
    }
}
