//! Answers of the model as they come: Claude Code passes on the events of the API.

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
    /// Whether it brings a piece of an answer, or what it used. That an answer begins says nothing:
    /// every request that is repeated may begin one. Nor does a sign that the connection is alive.
    pub(super) fn is_progress(&self) -> bool {
        let kinds = ["content_block_start", "content_block_delta", "message_delta"];
        kinds.iter().any(|kind| self.kind.is(kind))
    }
}

/// An answer that begins.
#[derive(Deserialize)]
pub(super) struct PartialMessageStart<'a> {
    #[serde(borrow, default)]
    pub(super) id: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) model: LenientString<'a>,
    #[serde(default)]
    pub(super) usage: Lenient<ClaudeUsage>,
}

/// What is new. Thoughts and the inputs of tools come as a whole later.
#[derive(Deserialize)]
pub(super) struct PartialMessageDelta<'a> {
    #[serde(borrow, default)]
    pub(super) text: LenientString<'a>,
}
