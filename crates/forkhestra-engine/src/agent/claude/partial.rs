//! Partial messages: events of the API that Claude Code forwards.

use serde::Deserialize;

use crate::agent::json::lenient_json::{Lenient, LenientString};

use super::usage::ClaudeUsage;

/// An event of the API.
#[derive(Deserialize)]
pub(super) struct PartialMessage<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: LenientString<'a>,
    /// Of `message_start`.
    #[serde(borrow, default)]
    pub(super) message: Lenient<PartialMessageStart<'a>>,
    /// Of `content_block_delta` and `message_delta`.
    #[serde(borrow, default)]
    pub(super) delta: Option<PartialMessageDelta<'a>>,
    /// Of `message_delta`.
    #[serde(default)]
    pub(super) usage: Lenient<ClaudeUsage>,
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
#[derive(Deserialize)]
pub(super) struct PartialMessageStart<'a> {
    #[serde(borrow, default)]
    pub(super) id: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) model: LenientString<'a>,
    #[serde(default)]
    pub(super) usage: Lenient<ClaudeUsage>,
}

/// New content. Reasoning and tool inputs are reported as a whole later.
#[derive(Deserialize)]
pub(super) struct PartialMessageDelta<'a> {
    #[serde(borrow, default)]
    pub(super) text: LenientString<'a>,
}
