//! What can be told of a line without a word of what its event says.

use std::str;

use super::decode::DecodeError;
use super::line::Header;

/// What can be told of a line at a glance. It is JSON, and of a version that we can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Glance {
    /// The number it says it has.
    pub(crate) seq: u64,
    /// Whether it is the first line of a journal.
    pub(crate) is_start: bool,
    /// Whether it says that the run is over.
    pub(crate) is_finish: bool,
}

impl Glance {
    /// Looks at a line.
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
