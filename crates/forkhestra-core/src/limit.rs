//! Limits of time, cost and iterations, and their text syntax.

mod age;
mod human_duration;
mod rows;
mod table;
mod usd;

pub use age::{Age, AgeParseError};
pub use human_duration::HumanDuration;
pub use table::{
    GroupLimits, LIMITS, LimitChanges, LimitOption, LimitScope, RunLimits, StepLimits,
};
pub use usd::Usd;

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::quota::QuotaParseError;
use crate::text::count::{Count, CountParseError};

/// The word that turns a limit off.
pub const OFF: &str = "off";

/// A limit that may be turned off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit<T> {
    Off,
    At(T),
}

/// Why a text is not a valid limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitParseError {
    /// A number without a unit could be seconds or minutes.
    #[error("needs a unit, as in `90s`, `30m` or `1h 30m`")]
    NoUnit,
    #[error("is not a duration in hours, minutes and seconds such as `90s` or `1h 30m`, or `off`")]
    NotADuration,
    #[error("is not an amount in US dollars; write it as `5` or `2.50`, or `off`")]
    NotMoney,
    #[error("is not a positive whole number, or `off`")]
    NotACount,
    #[error("must be more than zero; `off` turns the limit off")]
    NotPositive,
    #[error(transparent)]
    Quota(#[from] QuotaParseError),
}

/// A quantity that a limit can have.
pub trait LimitQuantity: Sized {
    /// The placeholder of a value in help texts.
    const VALUE_NAME: &'static str;
    /// Examples of a value, for a person who types one.
    const EXAMPLE: &'static str;

    /// Parses the value of a flag.
    fn parse(text: &str) -> Result<Self, LimitParseError>;

    /// The value of this number among round values, from the tightest up.
    fn nth(number: NonZeroU32) -> Self;
}

impl LimitQuantity for Count {
    const VALUE_NAME: &'static str = "N";
    const EXAMPLE: &'static str = "such as 3, or off";

    fn parse(text: &str) -> Result<Self, LimitParseError> {
        Self::parse(text).map_err(|why| match why {
            CountParseError::Zero | CountParseError::Negative => LimitParseError::NotPositive,
            CountParseError::Fraction | CountParseError::TooLarge | CountParseError::NotANumber => {
                LimitParseError::NotACount
            }
        })
    }

    fn nth(number: NonZeroU32) -> Self {
        Self::new(number)
    }
}

impl<T: LimitQuantity> Limit<T> {
    /// Parses the value of a flag.
    pub fn parse(text: &str) -> Result<Self, LimitParseError> {
        if text == OFF { Ok(Self::Off) } else { T::parse(text).map(Self::At) }
    }
}

impl<T> Limit<T> {
    /// The value; none if the limit is off.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Off => None,
            Self::At(value) => Some(value),
        }
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

impl<T: Serialize> Serialize for Limit<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_none(),
            Self::At(limit) => limit.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Limit<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Off, Self::At))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Parses a limit and formats it again.
    pub(super) fn shown<T: LimitQuantity + fmt::Display>(
        text: &str,
    ) -> Result<String, LimitParseError> {
        Limit::<T>::parse(text).map(|limit| limit.to_string())
    }

    #[test]
    fn counts() {
        let table = [
            ("3", Ok("3")),
            ("off", Ok("off")),
            ("0", Err(LimitParseError::NotPositive)),
            ("-1", Err(LimitParseError::NotPositive)),
            ("1.5", Err(LimitParseError::NotACount)),
            ("", Err(LimitParseError::NotACount)),
            ("4294967296", Err(LimitParseError::NotACount)),
        ];
        for (text, expected) in table {
            assert_eq!(shown::<Count>(text), expected.map(str::to_owned), "{text:?}");
        }
    }
}
