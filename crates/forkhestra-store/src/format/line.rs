//! What all lines have.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::events::Body;
use super::version::Version;

/// A line as it is written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WrittenLine {
    pub(super) seq: u64,
    pub(super) at: String,
    pub(super) elapsed_ms: u64,
    pub(super) event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<Version>,
    #[serde(flatten)]
    pub(super) body: Body,
}

/// The beginning of a line as it is read. The rest is read in a second pass, when its type is
/// known: that is much faster than to keep it in memory as some value first.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header<'a> {
    pub(super) seq: u64,
    #[serde(borrow)]
    pub(super) at: Cow<'a, str>,
    pub(super) elapsed_ms: u64,
    #[serde(borrow)]
    pub(super) event: Cow<'a, str>,
    #[serde(default)]
    pub(super) format: Option<Version>,
}
