//! Reads the header of a line without decoding its event.

use std::str;

use super::decode::DecodeError;
use super::line::Header;

/// The header of a line that is JSON and of a supported version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Glance {
    pub(crate) seq: u64,
    /// Whether the event is `run_started`.
    pub(crate) is_start: bool,
    /// Whether the event is `run_finished`.
    pub(crate) is_finish: bool,
}

impl Glance {
    /// Reads the header of a line.
    pub(crate) fn at(line: &[u8]) -> Result<Self, DecodeError> {
        let line = str::from_utf8(line).map_err(|_| DecodeError::NotText)?;
        let header: Header<'_> = serde_json::from_str(line)?;
        if let Some(found) = header.format.filter(|version| !version.is_readable()) {
            return Err(DecodeError::NewerFormat { found });
        }
        Ok(Self {
            seq: header.seq,
            is_start: header.event == "run_started" && header.format.is_some(),
            is_finish: header.event == "run_finished",
        })
    }
}
