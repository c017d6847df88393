//! Counts as people write them.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Serialize, Serializer};

use super::{NotALimit, Quantity};

/// How many times something may happen in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Times(NonZeroU32);

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

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
    use crate::limit::tests::shown;

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
