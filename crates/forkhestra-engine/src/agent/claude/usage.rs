//! The usage figures of Claude Code.

use forkhestra_core::cost::{Dollars, TokenCounts, UnusableFigure};
use serde::Deserialize;

use crate::agent::json::lenient_json::Lenient;
use crate::agent::json::reported_figure::{ReportedFigure, first_unusable};

/// The usage of an answer in the format of the API.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ClaudeUsage {
    #[serde(default)]
    input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    output_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cache_read_input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cache_creation_input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cache_creation: Lenient<CacheCreation>,
}

#[derive(Debug, Default, Deserialize)]
struct CacheCreation {
    #[serde(default)]
    ephemeral_1h_input_tokens: ReportedFigure<u64>,
}

impl ClaudeUsage {
    /// The first unusable figure.
    pub(super) fn unusable(&self) -> Option<UnusableFigure> {
        let hour = self.cache_creation.0.as_ref().map(|kinds| &kinds.ephemeral_1h_input_tokens);
        let hour = hour.and_then(|figure| figure.unusable("ephemeral_1h_input_tokens"));
        let others = || {
            first_unusable([
                ("input_tokens", &self.input_tokens),
                ("output_tokens", &self.output_tokens),
                ("cache_read_input_tokens", &self.cache_read_input_tokens),
                ("cache_creation_input_tokens", &self.cache_creation_input_tokens),
            ])
        };
        hour.or_else(others)
    }

    pub(super) fn tokens(&self) -> TokenCounts {
        let hour = self.cache_creation.0.as_ref();
        let hour = hour.map_or(0, |kinds| kinds.ephemeral_1h_input_tokens.tokens());
        TokenCounts {
            input: self.input_tokens.tokens(),
            output: self.output_tokens.tokens(),
            cache_read: self.cache_read_input_tokens.tokens(),
            cache_write: self.cache_creation_input_tokens.tokens().saturating_sub(hour),
            cache_write_1h: hour,
        }
    }
}

/// The total usage of a model in the format of a result.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClaudeModelUsage {
    #[serde(default)]
    input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    output_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cache_read_input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cache_creation_input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cache_creation_ephemeral1h_input_tokens: ReportedFigure<u64>,
    #[serde(default, rename = "costUSD")]
    pub(super) cost: ReportedFigure<Dollars>,
    /// The source of the price: a model without a known price gets that of another one.
    #[serde(default)]
    pub(super) cost_basis: Lenient<String>,
}

impl ClaudeModelUsage {
    /// The first unusable figure.
    pub(super) fn unusable(&self) -> Option<UnusableFigure> {
        let tokens = || {
            first_unusable([
                ("inputTokens", &self.input_tokens),
                ("outputTokens", &self.output_tokens),
                ("cacheReadInputTokens", &self.cache_read_input_tokens),
                ("cacheCreationInputTokens", &self.cache_creation_input_tokens),
                (
                    "cacheCreationEphemeral1hInputTokens",
                    &self.cache_creation_ephemeral1h_input_tokens,
                ),
            ])
        };
        self.cost.unusable("costUSD").or_else(tokens)
    }

    pub(super) fn tokens(&self) -> TokenCounts {
        let hour = self.cache_creation_ephemeral1h_input_tokens.tokens();
        TokenCounts {
            input: self.input_tokens.tokens(),
            output: self.output_tokens.tokens(),
            cache_read: self.cache_read_input_tokens.tokens(),
            cache_write: self.cache_creation_input_tokens.tokens().saturating_sub(hour),
            cache_write_1h: hour,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_for_an_hour_is_counted_once() {
        let text = r#"{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,
            "cache_creation_input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":4}}"#;
        let usage: ClaudeUsage = serde_json::from_str(text).expect("usage");
        let expected =
            TokenCounts { input: 1, output: 2, cache_read: 3, cache_write: 6, cache_write_1h: 4 };
        assert_eq!(usage.tokens(), expected);
        let text = r#"{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,
            "cacheCreationInputTokens":10,"cacheCreationEphemeral1hInputTokens":4}"#;
        let usage: ClaudeModelUsage = serde_json::from_str(text).expect("usage");
        assert_eq!(usage.tokens(), expected);
    }
}
