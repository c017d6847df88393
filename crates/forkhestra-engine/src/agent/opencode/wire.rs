//! The lines of opencode.

use forkhestra_core::cost::{Dollars, Tokens, UnusableFigure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::{Loose, Word};
use crate::agent::reported_figure::{ReportedFigure, first_unusable};

/// A line of any kind.
#[derive(Deserialize)]
pub(super) struct Line<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Word<'a>,
    #[serde(borrow, default, rename = "sessionID")]
    pub(super) session: Word<'a>,
    #[serde(borrow, default)]
    pub(super) part: Loose<Part<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Loose<Failure<'a>>,
}

/// A part of an answer.
#[derive(Default, Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    pub(super) text: Word<'a>,
    /// Whether opencode says it itself, in place of a person.
    #[serde(default)]
    synthetic: Loose<bool>,
    #[serde(default)]
    metadata: Loose<Metadata>,
    #[serde(borrow, default)]
    pub(super) tool: Word<'a>,
    #[serde(borrow, default, rename = "callID")]
    pub(super) call: Word<'a>,
    #[serde(borrow, default)]
    pub(super) state: Loose<State<'a>>,
    #[serde(borrow, default)]
    pub(super) reason: Word<'a>,
    #[serde(default)]
    pub(super) tokens: Loose<StepTokens>,
    #[serde(default)]
    pub(super) cost: ReportedFigure<Dollars>,
}

impl Part<'_> {
    /// Whether it tells the model to go on, as after the context was made shorter.
    pub(super) fn is_push(&self) -> bool {
        let metadata = self.metadata.0.as_ref();
        let is_continued = metadata.and_then(|metadata| metadata.compaction_continue.0);
        self.synthetic.0 == Some(true) || is_continued == Some(true)
    }
}

/// What is known of a part.
#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    compaction_continue: Loose<bool>,
}

/// What became of a tool.
#[derive(Default, Deserialize)]
pub(super) struct State<'a> {
    #[serde(borrow, default)]
    pub(super) status: Word<'a>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) output: Word<'a>,
    #[serde(borrow, default)]
    pub(super) error: Word<'a>,
    #[serde(default)]
    metadata: Loose<StateMetadata>,
}

impl State<'_> {
    /// The exit code of a command that failed.
    pub(super) fn failed_exit(&self) -> Option<i64> {
        self.metadata.0.as_ref().and_then(|metadata| metadata.exit.0).filter(|code| *code != 0)
    }
}

/// What is known of what a tool did.
#[derive(Default, Deserialize)]
struct StateMetadata {
    #[serde(default)]
    exit: Loose<i64>,
}

/// What a step used.
#[derive(Default, Deserialize)]
pub(super) struct StepTokens {
    #[serde(default)]
    input: ReportedFigure<u64>,
    #[serde(default)]
    output: ReportedFigure<u64>,
    #[serde(default)]
    reasoning: ReportedFigure<u64>,
    #[serde(default)]
    cache: Loose<Cache>,
}

#[derive(Default, Deserialize)]
struct Cache {
    #[serde(default)]
    read: ReportedFigure<u64>,
    #[serde(default)]
    write: ReportedFigure<u64>,
}

impl StepTokens {
    /// The first figure that cannot be right.
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

    pub(super) fn tokens(&self) -> Tokens {
        let cache = self.cache.0.as_ref();
        let [cache_read, cache_write] =
            cache.map_or([0, 0], |cache| [cache.read.tokens(), cache.write.tokens()]);
        Tokens {
            input: self.input.tokens(),
            output: self.output.tokens().saturating_add(self.reasoning.tokens()),
            cache_read,
            cache_write,
            cache_write_1h: 0,
        }
    }
}

/// What went wrong.
#[derive(Default, Deserialize)]
pub(super) struct Failure<'a> {
    #[serde(borrow, default)]
    pub(super) name: Word<'a>,
    #[serde(borrow, default)]
    pub(super) data: Loose<FailureData<'a>>,
}

/// What is known of it.
#[derive(Default, Deserialize)]
pub(super) struct FailureData<'a> {
    #[serde(borrow, default)]
    pub(super) message: Word<'a>,
    #[serde(default, rename = "statusCode")]
    pub(super) status: Loose<u16>,
    /// The whole answer of the provider.
    #[serde(borrow, default, rename = "responseBody")]
    pub(super) body: Word<'a>,
}
