//! The usage figures of Claude Code.

use forkhestra_core::cost::TokenCounts;

use crate::agent::json::ReportedFigures;

/// The figures of an answer, in the format of the API. The last one is a part of the one before.
pub(super) const OF_ANSWER: [&str; 5] = [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "cache_creation.ephemeral_1h_input_tokens",
];

/// The figures of a model, in the format of a result.
pub(super) const OF_MODEL: [&str; 5] = [
    "inputTokens",
    "outputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
    "cacheCreationEphemeral1hInputTokens",
];

pub(super) fn token_counts(usage: &ReportedFigures, names: [&str; 5]) -> TokenCounts {
    let [input, output, cache_read, cache_creation, hour] = names.map(|name| usage.tokens(name));
    let cache_write = cache_creation.saturating_sub(hour);
    TokenCounts { input, output, cache_read, cache_write, cache_write_1h: hour }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hour_cache_writes_are_counted_once() {
        let text = r#"{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,
            "cache_creation_input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":4}}"#;
        let usage: ReportedFigures = serde_json::from_str(text).expect("usage");
        let expected =
            TokenCounts { input: 1, output: 2, cache_read: 3, cache_write: 6, cache_write_1h: 4 };
        assert_eq!(token_counts(&usage, OF_ANSWER), expected);
        let text = r#"{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,
            "cacheCreationInputTokens":10,"cacheCreationEphemeral1hInputTokens":4}"#;
        let usage: ReportedFigures = serde_json::from_str(text).expect("usage");
        assert_eq!(token_counts(&usage, OF_MODEL), expected);
    }
}
