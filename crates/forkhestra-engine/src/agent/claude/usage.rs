//! The tokens that Claude Code reports.

use forkhestra_core::cost::Tokens;
use serde::Deserialize;

use crate::agent::json::Loose;

/// The usage of an answer, as the API has it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Usage {
    #[serde(default)]
    input_tokens: Loose<u64>,
    #[serde(default)]
    output_tokens: Loose<u64>,
    #[serde(default)]
    cache_read_input_tokens: Loose<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Loose<u64>,
    #[serde(default)]
    cache_creation: Loose<CacheCreation>,
}

#[derive(Debug, Default, Deserialize)]
struct CacheCreation {
    #[serde(default)]
    ephemeral_1h_input_tokens: Loose<u64>,
}

impl Usage {
    pub(super) fn tokens(&self) -> Tokens {
        let hour = self.cache_creation.0.as_ref();
        let hour = hour.and_then(|kinds| kinds.ephemeral_1h_input_tokens.0).unwrap_or(0);
        Tokens {
            input: self.input_tokens.0.unwrap_or(0),
            output: self.output_tokens.0.unwrap_or(0),
            cache_read: self.cache_read_input_tokens.0.unwrap_or(0),
            cache_write: self.cache_creation_input_tokens.0.unwrap_or(0).saturating_sub(hour),
            cache_write_1h: hour,
        }
    }
}

/// The usage of a model in everything so far, as a result has it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelUsage {
    #[serde(default)]
    input_tokens: Loose<u64>,
    #[serde(default)]
    output_tokens: Loose<u64>,
    #[serde(default)]
    cache_read_input_tokens: Loose<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Loose<u64>,
    #[serde(default)]
    cache_creation_ephemeral1h_input_tokens: Loose<u64>,
    #[serde(default, rename = "costUSD")]
    pub(super) cost: Loose<f64>,
    /// Where the price comes from: a model without one is priced anyway, like another one.
    #[serde(default)]
    pub(super) cost_basis: Loose<String>,
}

impl ModelUsage {
    pub(super) fn tokens(&self) -> Tokens {
        let hour = self.cache_creation_ephemeral1h_input_tokens.0.unwrap_or(0);
        Tokens {
            input: self.input_tokens.0.unwrap_or(0),
            output: self.output_tokens.0.unwrap_or(0),
            cache_read: self.cache_read_input_tokens.0.unwrap_or(0),
            cache_write: self.cache_creation_input_tokens.0.unwrap_or(0).saturating_sub(hour),
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
        let usage: Usage = serde_json::from_str(text).expect("usage");
        let expected =
            Tokens { input: 1, output: 2, cache_read: 3, cache_write: 6, cache_write_1h: 4 };
        assert_eq!(usage.tokens(), expected);
        let text = r#"{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,
            "cacheCreationInputTokens":10,"cacheCreationEphemeral1hInputTokens":4}"#;
        let usage: ModelUsage = serde_json::from_str(text).expect("usage");
        assert_eq!(usage.tokens(), expected);
    }
}
