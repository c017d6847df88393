//! Partial messages: events of the API that Claude Code forwards.

use serde::Deserialize;

use crate::agent::json::{Lenient, LenientString, ReportedFigures};

/// An event of the API.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct PartialMessage<'a> {
    #[serde(rename = "type")]
    pub(super) kind: LenientString<'a>,
    /// Of `message_start`.
    pub(super) message: Lenient<PartialMessageStart<'a>>,
    /// Of `content_block_delta` and `message_delta`.
    pub(super) delta: Option<PartialMessageDelta<'a>>,
    /// Of `message_delta`.
    pub(super) usage: Lenient<ReportedFigures>,
}

impl PartialMessage<'_> {
    /// Whether it contains a piece of an answer or its usage. The start of an answer does not
    /// count, since every retry may start one. Neither does a keep-alive.
    pub(super) fn is_progress(&self) -> bool {
        let kinds = ["content_block_start", "content_block_delta", "message_delta"];
        kinds.iter().any(|kind| self.kind.is(kind))
    }
}

/// The start of an answer.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct PartialMessageStart<'a> {
    pub(super) id: LenientString<'a>,
    pub(super) model: LenientString<'a>,
    pub(super) usage: Lenient<ReportedFigures>,
}

/// New content. Reasoning and tool inputs are reported as a whole later.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct PartialMessageDelta<'a> {
    pub(super) text: LenientString<'a>,
}
