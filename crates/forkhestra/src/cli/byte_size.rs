//! Sizes in bytes: parsing and display.

use std::fmt;

/// A size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ByteSize(pub(crate) u64);

/// Reasons why a text is not a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteSizeParseError {
    NoUnit,
    Unreadable,
    Negative,
    TooSmall,
}

impl std::error::Error for ByteSizeParseError {}

impl fmt::Display for ByteSizeParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoUnit => "needs a unit, as in `500M` or `2G`",
            Self::Unreadable => "is not a size such as `500M`, `2G` or `1.5GiB`",
            Self::Negative => "must not be less than zero",
            Self::TooSmall => "is less than a byte",
        })
    }
}

impl ByteSize {
    /// Parses a size: a number, then `K`, `M`, `G` or `T`. These are powers of 1024, with and
    /// without `iB`; with `B` alone they are powers of 1000.
    pub(crate) fn parse(text: &str) -> Result<Self, ByteSizeParseError> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err(ByteSizeParseError::Negative);
        }
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let (number, unit) = text.split_at(text.find(|c| !is_number(c)).unwrap_or(text.len()));
        let number: f64 = number.parse().map_err(|_| ByteSizeParseError::Unreadable)?;
        let bytes = match unit.trim() {
            // Zero needs no unit.
            "" if number == 0.0 => 0.0,
            unit => number * unit_of(unit)?,
        };
        // A float represents every realistic size; larger numbers are rejected.
        if bytes > u64::MAX as f64 {
            return Err(ByteSizeParseError::Unreadable);
        }
        // A positive number that rounds down to 0 bytes is an error.
        match bytes as u64 {
            0 if number > 0.0 => Err(ByteSizeParseError::TooSmall),
            bytes => Ok(Self(bytes)),
        }
    }
}

fn unit_of(unit: &str) -> Result<f64, ByteSizeParseError> {
    let unit = unit.to_ascii_lowercase();
    let (letter, base) = match unit.as_str() {
        "" => return Err(ByteSizeParseError::NoUnit),
        "b" | "byte" | "bytes" => return Ok(1.0),
        _ => match (unit.strip_suffix("ib"), unit.strip_suffix('b')) {
            (Some(letter), _) => (letter, 1024_f64),
            (None, Some(letter)) => (letter, 1000_f64),
            (None, None) => (unit.as_str(), 1024_f64),
        },
    };
    let power = ["k", "m", "g", "t"].iter().position(|known| *known == letter);
    let power = power
        .and_then(|power| i32::try_from(power + 1).ok())
        .ok_or(ByteSizeParseError::Unreadable)?;
    Ok(base.powi(power))
}

/// Shown in the unit that is easiest to read: `340 B`, `1.5 MiB`.
impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut number = self.0 as f64;
        let mut units = ["B", "KiB", "MiB", "GiB", "TiB"].iter();
        let mut unit = units.next().copied().unwrap_or_default();
        while number >= 1024.0
            && let Some(larger) = units.next()
        {
            number /= 1024.0;
            unit = larger;
        }
        let digits = usize::from(unit != "B" && number < 100.0);
        write!(f, "{number:.digits$} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, expected) in [
            ("500M", Ok(500 << 20)),
            ("2G", Ok(2 << 30)),
            ("1.5GiB", Ok(3 << 29)),
            ("1.5 GiB", Ok(3 << 29)),
            ("10kb", Ok(10_000)),
            ("2GB", Ok(2_000_000_000)),
            ("1T", Ok(1 << 40)),
            ("12 bytes", Ok(12)),
            ("7b", Ok(7)),
            ("500", Err(ByteSizeParseError::NoUnit)),
            ("0", Ok(0)),
            ("0M", Ok(0)),
            ("0X", Err(ByteSizeParseError::Unreadable)),
            ("0.1b", Err(ByteSizeParseError::TooSmall)),
            ("-1G", Err(ByteSizeParseError::Negative)),
            ("1X", Err(ByteSizeParseError::Unreadable)),
            ("1..5G", Err(ByteSizeParseError::Unreadable)),
            ("G", Err(ByteSizeParseError::Unreadable)),
            ("", Err(ByteSizeParseError::Unreadable)),
            ("99999999999T", Err(ByteSizeParseError::Unreadable)),
            ("a lot", Err(ByteSizeParseError::Unreadable)),
        ] {
            assert_eq!(ByteSize::parse(text).map(|size| size.0), expected, "{text:?}");
        }
    }

    #[test]
    fn sizes_are_shown() {
        for (bytes, expected) in [
            (0, "0 B"),
            (340, "340 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            (200 << 10, "200 KiB"),
            (3 << 29, "1.5 GiB"),
            (5 << 50, "5120 TiB"),
        ] {
            assert_eq!(ByteSize(bytes).to_string(), expected);
        }
    }
}
