//! Decodes lines into events.

use std::time::Duration;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::time::{Timestamp, TimestampParseError};

use super::line::Header;
use super::version::Version;

/// Why a line cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The line is damaged or cut off.
    #[error("is not JSON: {}", within_line(.0))]
    NotJson(serde_json::Error),
    #[error("is not UTF-8")]
    NotText,
    /// It is JSON but not an event.
    #[error("is not an event: {}", within_line(.0))]
    NotAnEvent(serde_json::Error),
    #[error("has a time that {0}")]
    BadTime(TimestampParseError),
    /// A newer, incompatible version wrote it.
    #[error("is written in format {found}, but this program reads it up to {}.x", Version::CURRENT.major)]
    NewerFormat { found: Version },
}

/// The error with its column only. The caller adds the number of the line.
fn within_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

impl DecodeError {
    /// Whether a line that was not written completely can cause this.
    pub const fn is_damage(&self) -> bool {
        matches!(self, Self::NotJson(_) | Self::NotText)
    }
}

/// Decodes a line, with or without its line break. Returns `None` for an event of a newer version.
pub fn decode(line: &str) -> Result<Option<Event>, DecodeError> {
    decode_line(line).map(|line| line.event)
}

/// A decoded line with its sequence number and format version.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) seq: u64,
    pub(crate) format: Option<Version>,
    /// `None` for an event of a newer version.
    pub(crate) event: Option<Event>,
}

/// Decodes a line.
pub(crate) fn decode_line(line: &str) -> Result<Line, DecodeError> {
    let header = Header::read(line)?;
    let at = Timestamp::parse(&header.at).map_err(DecodeError::BadTime)?;
    let elapsed = Duration::from_millis(header.elapsed_ms);
    let kind = EventKind::read(&header.event, line).transpose()?;
    let event = kind.map(|kind| Event::new(at, elapsed, kind).in_lane(header.lane));
    Ok(Line { seq: header.seq, format: header.format, event })
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_data() { Self::NotAnEvent(error) } else { Self::NotJson(error) }
    }
}
