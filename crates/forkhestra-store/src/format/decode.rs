//! From lines to events.

use std::time::Duration;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::time::{Timestamp, TimestampParseError};

use super::line::Header;
use super::version::Version;

/// What stands in a line.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all lines are known, and none is kept like this"
)]
pub enum Decoded {
    /// An event.
    Known(Event),
    /// An event of a newer version of the format.
    Unknown(UnknownEvent),
}

/// An event of a newer version of the format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEvent {
    /// Its name.
    pub name: String,
    /// When it happened.
    pub at: Timestamp,
    /// The whole line.
    pub raw: String,
}

/// Why a line cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// It is not JSON: it was damaged, or cut off.
    #[error("is not JSON: {}", within_line(.0))]
    NotJson(serde_json::Error),
    /// It is not even text.
    #[error("is not UTF-8")]
    NotText,
    /// It is JSON but not an event.
    #[error("is not an event: {}", within_line(.0))]
    NotAnEvent(serde_json::Error),
    /// Its time is none.
    #[error("has a time that {0}")]
    BadTime(TimestampParseError),
    /// It was written by a newer version, and we would misunderstand it.
    #[error("is written in format {found}, but this program reads it up to {}.x", Version::CURRENT.major)]
    NewerFormat {
        /// The version.
        found: Version,
    },
}

/// What is wrong, and where in the line: which line that is, others say.
fn within_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

impl DecodeError {
    /// Whether this is what is left of a line that was not written to its end.
    pub const fn is_damage(&self) -> bool {
        matches!(self, Self::NotJson(_) | Self::NotText)
    }
}

/// Reads a line. A line break at its end may be there or not.
pub fn decode(line: &str) -> Result<Decoded, DecodeError> {
    decode_line(line).map(|line| line.decoded)
}

/// A line with what belongs to the file rather than to the event.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) seq: u64,
    pub(crate) format: Option<Version>,
    pub(crate) decoded: Decoded,
}

/// Reads a line.
pub(crate) fn decode_line(line: &str) -> Result<Line, DecodeError> {
    let header: Header<'_> = serde_json::from_str(line)?;
    if let Some(found) = header.format.filter(|version| !version.is_readable()) {
        return Err(DecodeError::NewerFormat { found });
    }
    let at = Timestamp::parse(&header.at).map_err(DecodeError::BadTime)?;
    let decoded = match EventKind::read(&header.event, line) {
        Some(kind) => Decoded::Known(Event {
            at,
            elapsed: Duration::from_millis(header.elapsed_ms),
            kind: kind?,
        }),
        None => {
            let raw = line.trim_end_matches('\n').to_owned();
            Decoded::Unknown(UnknownEvent { name: header.event.into_owned(), at, raw })
        }
    };
    Ok(Line { seq: header.seq, format: header.format, decoded })
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_data() { Self::NotAnEvent(error) } else { Self::NotJson(error) }
    }
}
