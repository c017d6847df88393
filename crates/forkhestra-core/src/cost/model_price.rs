//! What a model costs.

use serde::{Deserialize, Serialize};

use super::price_json::PriceJson;
use super::{Dollars, TokenCounts, TokenRate};

/// What the tokens of a model cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PriceJson", into = "PriceJson")]
pub struct ModelPrice {
    /// Tokens that are read.
    pub input: TokenRate,
    /// Tokens that are written.
    pub output: TokenRate,
    /// Tokens that are read from a cache.
    pub cache_read: TokenRate,
    /// Tokens that are written to a cache for five minutes, or for a time nobody told.
    pub cache_write: TokenRate,
    /// Tokens that are written to a cache for an hour.
    pub cache_write_1h: TokenRate,
    /// What long prompts cost more.
    pub long: Option<LongPromptPrice>,
}

/// A request with a long prompt costs more, all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LongPromptPrice {
    /// A prompt of more tokens than this is long, cached ones included.
    pub above: u64,
    /// What the prompt then costs, in percent of the usual price.
    pub input_percent: u16,
    /// What the answer then costs, in percent of the usual price.
    pub output_percent: u16,
}

/// A billionth of a dollar in what rates count in (millionths of a millionth), in percent of these.
const PARTS_IN_A_NANO: u128 = 100 * 1000;

impl ModelPrice {
    /// A price without caches of its own: what passes through one costs as much as any input.
    pub const fn new(input: TokenRate, output: TokenRate) -> Self {
        let (cache_read, cache_write, cache_write_1h) = (input, input, input);
        Self { input, output, cache_read, cache_write, cache_write_1h, long: None }
    }

    /// What one request costs, rounded to the nearest billionth of a dollar.
    pub fn of(&self, tokens: TokenCounts) -> Dollars {
        match self.long {
            Some(long) if tokens.prompt() > long.above => {
                self.at(tokens, long.input_percent, long.output_percent)
            }
            _ => self.at(tokens, 100, 100),
        }
    }

    /// What several requests cost of which only the sum is known.
    ///
    /// That does not tell how long single prompts were; none is taken to be long.
    pub fn of_sum(&self, tokens: TokenCounts) -> Dollars {
        self.at(tokens, 100, 100)
    }

    fn at(&self, tokens: TokenCounts, input_percent: u16, output_percent: u16) -> Dollars {
        let prompt = self.input.of(tokens.input)
            + self.cache_read.of(tokens.cache_read)
            + self.cache_write.of(tokens.cache_write)
            + self.cache_write_1h.of(tokens.cache_write_1h);
        let answer = self.output.of(tokens.output);
        let parts = prompt * u128::from(input_percent) + answer * u128::from(output_percent);
        let nanos = (parts + PARTS_IN_A_NANO / 2) / PARTS_IN_A_NANO;
        Dollars::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
