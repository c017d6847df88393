//! Versions of the format.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A version of the format, such as `2.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Readers of an older major version cannot read it.
    pub major: u32,
    /// Readers of another minor version can read it.
    pub minor: u32,
}

/// A text is not a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a version such as `1.0`")]
pub struct NotAVersion;

impl Version {
    /// The version that this program writes.
    pub const CURRENT: Self = Self { major: 4, minor: 0 };

    /// The first version whose lines have hashes.
    const HASHED: Self = Self { major: 2, minor: 2 };

    /// Whether every line of a file of this version has a hash.
    pub(crate) fn has_hashes(self) -> bool {
        self >= Self::HASHED
    }

    /// Parses a version.
    pub fn parse(text: &str) -> Result<Self, NotAVersion> {
        let number = |digits: &str| {
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| is_plain).ok_or(NotAVersion)
        };
        let (major, minor) = text.split_once('.').ok_or(NotAVersion)?;
        Ok(Self { major: number(major)?, minor: number(minor)? })
    }

    /// Whether this program can read a file of this version.
    pub const fn is_readable(self) -> bool {
        self.major >= 1 && self.major <= Self::CURRENT.major
    }

    /// Whether this program knows everything that a file of this version may contain, and so may
    /// append to it.
    pub fn is_writable(self) -> bool {
        self.is_readable() && self <= Self::CURRENT
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|why| de::Error::custom(format_args!("`{text}` {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_and_invalid_versions() {
        for text in ["1.0", "0.0", "12.345"] {
            assert_eq!(Version::parse(text).map(|version| version.to_string()), Ok(text.into()));
        }
        for text in ["", "1", "1.", ".0", "1.0.0", "1.+0", "-1.0", "a.b", "4294967296.0"] {
            assert_eq!(Version::parse(text), Err(NotAVersion), "{text}");
        }
    }

    #[test]
    fn newer_minor_versions_are_read_but_not_written() {
        let Version { major, minor } = Version::CURRENT;
        let newer = Version { major, minor: minor + 1 };
        assert!(Version::CURRENT.is_writable() && newer.is_readable() && !newer.is_writable());
        assert!(!Version { major: major + 1, minor: 0 }.is_readable());
    }

    #[test]
    fn older_versions_are_read_and_written() {
        for text in ["1.0", "1.1", "2.0", "2.1", "2.2", "2.3", "3.0", "4.0"] {
            assert!(Version::parse(text).is_ok_and(Version::is_writable), "{text}");
        }
        assert!(Version::parse("0.9").is_ok_and(|version| !version.is_readable()));
    }
}
