//! The members that all lines have.

use std::borrow::Cow;

use forkhestra_core::event::EventKind;
use forkhestra_core::id::LaneNumber;
use forkhestra_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::decode::DecodeError;
use super::version::Version;

/// A line for serialization.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WrittenLine<'a> {
    pub(super) seq: u64,
    pub(super) at: Timestamp,
    pub(super) elapsed_ms: u64,
    pub(super) event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lane: Option<LaneNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<Version>,
    #[serde(flatten)]
    pub(super) kind: &'a EventKind,
}

/// The common members of a line. The rest is parsed in a second pass, when its type is known. That
/// is much faster than parsing it into a generic value first.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Header<'a> {
    pub(crate) seq: u64,
    #[serde(borrow)]
    pub(super) at: Cow<'a, str>,
    pub(super) elapsed_ms: u64,
    #[serde(borrow)]
    pub(super) event: Cow<'a, str>,
    #[serde(default)]
    pub(super) lane: Option<LaneNumber>,
    #[serde(default)]
    pub(super) format: Option<Version>,
}

impl<'a> Header<'a> {
    /// Reads the header of a line that is JSON and of a supported version.
    pub(crate) fn read(line: &'a str) -> Result<Self, DecodeError> {
        let header: Self = serde_json::from_str(line)?;
        match header.format.filter(|version| !version.is_readable()) {
            Some(found) => Err(DecodeError::NewerFormat { found }),
            None => Ok(header),
        }
    }

    pub(crate) fn is_start(&self) -> bool {
        self.event == "run_started" && self.format.is_some()
    }

    pub(crate) fn is_finish(&self) -> bool {
        self.event == "run_finished"
    }
}
