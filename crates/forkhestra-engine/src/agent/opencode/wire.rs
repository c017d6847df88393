//! The JSON lines of opencode.

use forkhestra_core::cost::{Dollars, TokenCounts};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::{Lenient, LenientString, ReportedFigure, ReportedFigures};

/// A line of any kind.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct OpencodeLine<'a> {
    #[serde(rename = "type")]
    pub(super) kind: LenientString<'a>,
    #[serde(rename = "sessionID")]
    pub(super) session: LenientString<'a>,
    pub(super) part: Lenient<OpencodePart<'a>>,
    pub(super) error: Lenient<OpencodeFailure<'a>>,
}

/// A part of an answer.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct OpencodePart<'a> {
    pub(super) text: LenientString<'a>,
    /// Whether opencode itself produced it in place of the user.
    synthetic: Lenient<bool>,
    metadata: Lenient<OpencodeMetadata>,
    pub(super) tool: LenientString<'a>,
    #[serde(rename = "callID")]
    pub(super) call: LenientString<'a>,
    pub(super) state: Lenient<OpencodeToolState<'a>>,
    pub(super) reason: LenientString<'a>,
    pub(super) tokens: Lenient<ReportedFigures>,
    pub(super) cost: ReportedFigure<Dollars>,
}

impl OpencodePart<'_> {
    /// Whether it instructs the model to continue, as after a compaction.
    pub(super) fn is_continuation(&self) -> bool {
        let metadata = self.metadata.0.as_ref();
        let is_continued = metadata.and_then(|metadata| metadata.compaction_continue.0);
        self.synthetic.0 == Some(true) || is_continued == Some(true)
    }
}

/// The metadata of a part or of a tool call.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OpencodeMetadata {
    compaction_continue: Lenient<bool>,
    exit: Lenient<i64>,
}

/// The state of a tool call.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct OpencodeToolState<'a> {
    pub(super) status: LenientString<'a>,
    pub(super) input: Option<&'a RawValue>,
    pub(super) output: LenientString<'a>,
    pub(super) error: LenientString<'a>,
    metadata: Lenient<OpencodeMetadata>,
}

impl OpencodeToolState<'_> {
    /// The exit code of a failed command.
    pub(super) fn failed_exit(&self) -> Option<i64> {
        self.metadata.0.as_ref().and_then(|metadata| metadata.exit.0).filter(|code| *code != 0)
    }
}

/// The figures of the usage of a step.
pub(super) const FIGURES: [&str; 5] = ["input", "output", "reasoning", "cache.read", "cache.write"];

pub(super) fn token_counts(usage: &ReportedFigures) -> TokenCounts {
    let [input, output, reasoning, cache_read, cache_write] =
        FIGURES.map(|name| usage.tokens(name));
    let output = output.saturating_add(reasoning);
    TokenCounts { input, output, cache_read, cache_write, cache_write_1h: 0 }
}

/// An error.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct OpencodeFailure<'a> {
    pub(super) name: LenientString<'a>,
    pub(super) data: Lenient<OpencodeFailureData<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct OpencodeFailureData<'a> {
    pub(super) message: LenientString<'a>,
    #[serde(rename = "statusCode")]
    pub(super) status: Lenient<u16>,
    /// The body of the provider's response.
    #[serde(rename = "responseBody")]
    pub(super) body: LenientString<'a>,
}
