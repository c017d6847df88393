//! The JSON lines of opencode.

use forkhestra_core::cost::{Dollars, TokenCounts, UnusableFigure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::lenient_json::{Lenient, LenientString};
use crate::agent::json::reported_figure::{ReportedFigure, first_unusable};

/// A line of any kind.
#[derive(Deserialize)]
pub(super) struct OpencodeLine<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: LenientString<'a>,
    #[serde(borrow, default, rename = "sessionID")]
    pub(super) session: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) part: Lenient<OpencodePart<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Lenient<OpencodeFailure<'a>>,
}

/// A part of an answer.
#[derive(Default, Deserialize)]
pub(super) struct OpencodePart<'a> {
    #[serde(borrow, default)]
    pub(super) text: LenientString<'a>,
    /// Whether opencode itself produced it in place of the user.
    #[serde(default)]
    synthetic: Lenient<bool>,
    #[serde(default)]
    metadata: Lenient<OpencodePartMetadata>,
    #[serde(borrow, default)]
    pub(super) tool: LenientString<'a>,
    #[serde(borrow, default, rename = "callID")]
    pub(super) call: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) state: Lenient<OpencodeToolState<'a>>,
    #[serde(borrow, default)]
    pub(super) reason: LenientString<'a>,
    #[serde(default)]
    pub(super) tokens: Lenient<OpencodeStepTokens>,
    #[serde(default)]
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

#[derive(Default, Deserialize)]
struct OpencodePartMetadata {
    #[serde(default)]
    compaction_continue: Lenient<bool>,
}

/// The state of a tool call.
#[derive(Default, Deserialize)]
pub(super) struct OpencodeToolState<'a> {
    #[serde(borrow, default)]
    pub(super) status: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) output: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) error: LenientString<'a>,
    #[serde(default)]
    metadata: Lenient<OpencodeToolMetadata>,
}

impl OpencodeToolState<'_> {
    /// The exit code of a failed command.
    pub(super) fn failed_exit(&self) -> Option<i64> {
        self.metadata.0.as_ref().and_then(|metadata| metadata.exit.0).filter(|code| *code != 0)
    }
}

#[derive(Default, Deserialize)]
struct OpencodeToolMetadata {
    #[serde(default)]
    exit: Lenient<i64>,
}

/// The usage of a step.
#[derive(Default, Deserialize)]
pub(super) struct OpencodeStepTokens {
    #[serde(default)]
    input: ReportedFigure<u64>,
    #[serde(default)]
    output: ReportedFigure<u64>,
    #[serde(default)]
    reasoning: ReportedFigure<u64>,
    #[serde(default)]
    cache: Lenient<OpencodeCacheTokens>,
}

#[derive(Default, Deserialize)]
struct OpencodeCacheTokens {
    #[serde(default)]
    read: ReportedFigure<u64>,
    #[serde(default)]
    write: ReportedFigure<u64>,
}

impl OpencodeStepTokens {
    /// The first unusable figure.
    pub(super) fn unusable(&self) -> Option<UnusableFigure> {
        let cache = self.cache.0.as_ref().and_then(|cache| {
            first_unusable([("cache.read", &cache.read), ("cache.write", &cache.write)])
        });
        let others = || {
            first_unusable([
                ("input", &self.input),
                ("output", &self.output),
                ("reasoning", &self.reasoning),
            ])
        };
        cache.or_else(others)
    }

    pub(super) fn tokens(&self) -> TokenCounts {
        let cache = self.cache.0.as_ref();
        let [cache_read, cache_write] =
            cache.map_or([0, 0], |cache| [cache.read.tokens(), cache.write.tokens()]);
        TokenCounts {
            input: self.input.tokens(),
            output: self.output.tokens().saturating_add(self.reasoning.tokens()),
            cache_read,
            cache_write,
            cache_write_1h: 0,
        }
    }
}

/// An error.
#[derive(Default, Deserialize)]
pub(super) struct OpencodeFailure<'a> {
    #[serde(borrow, default)]
    pub(super) name: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) data: Lenient<OpencodeFailureData<'a>>,
}

#[derive(Default, Deserialize)]
pub(super) struct OpencodeFailureData<'a> {
    #[serde(borrow, default)]
    pub(super) message: LenientString<'a>,
    #[serde(default, rename = "statusCode")]
    pub(super) status: Lenient<u16>,
    /// The body of the provider's response.
    #[serde(borrow, default, rename = "responseBody")]
    pub(super) body: LenientString<'a>,
}
