//! Answers of the model as they come: Claude Code passes on the events of the API.

use serde::Deserialize;

use crate::agent::json::{Loose, Word};

use super::usage::Usage;

/// An event of the API.
#[derive(Deserialize)]
pub(super) struct Partial<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Word<'a>,
    /// Of `message_start`.
    #[serde(borrow, default)]
    pub(super) message: Loose<Start<'a>>,
    /// Of `content_block_delta` and `message_delta`.
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    /// Of `message_delta`.
    #[serde(default)]
    pub(super) usage: Loose<Usage>,
}

impl Partial<'_> {
    /// Whether it brings a piece of an answer, or what it used. That an answer begins says nothing:
    /// every request that is repeated may begin one. Nor does a sign that the connection is alive.
    pub(super) fn is_progress(&self) -> bool {
        let kinds = ["content_block_start", "content_block_delta", "message_delta"];
        kinds.iter().any(|kind| self.kind.is(kind))
    }
}

/// An answer that begins.
#[derive(Deserialize)]
pub(super) struct Start<'a> {
    #[serde(borrow, default)]
    pub(super) id: Word<'a>,
    #[serde(borrow, default)]
    pub(super) model: Word<'a>,
    #[serde(default)]
    pub(super) usage: Loose<Usage>,
}

/// What is new. Thoughts and the inputs of tools come as a whole later.
#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) text: Word<'a>,
}
