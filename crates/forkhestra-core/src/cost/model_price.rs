//! The price of a model.

use serde::{Deserialize, Serialize};

use super::price_json::PriceJson;
use super::{Dollars, TokenCounts, TokenRate};

/// The price of a model's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PriceJson", into = "PriceJson")]
pub struct ModelPrice {
    pub input: TokenRate,
    pub output: TokenRate,
    pub cache_read: TokenRate,
    /// Tokens written to a cache for five minutes, or for an unknown time.
    pub cache_write: TokenRate,
    /// Tokens written to a cache for an hour.
    pub cache_write_1h: TokenRate,
    /// The surcharge for long prompts.
    pub long: Option<LongPromptPrice>,
}

/// The surcharge for a request with a long prompt; it applies to the whole request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LongPromptPrice {
    /// A prompt with more tokens than this is long, cached ones included.
    pub above: u64,
    /// The price of the prompt, in percent of the usual price.
    pub input_percent: u16,
    /// The price of the answer, in percent of the usual price.
    pub output_percent: u16,
}

/// A billionth of a dollar in percent of the rates' unit (millionths of a millionth).
const PARTS_PER_NANO: u128 = 100 * 1000;

impl ModelPrice {
    /// A price without separate cache rates: cached tokens cost as much as any input.
    pub const fn new(input: TokenRate, output: TokenRate) -> Self {
        let (cache_read, cache_write, cache_write_1h) = (input, input, input);
        Self { input, output, cache_read, cache_write, cache_write_1h, long: None }
    }

    /// The cost of one request, rounded to the nearest billionth of a dollar.
    pub fn of(&self, tokens: TokenCounts) -> Dollars {
        match self.long {
            Some(long) if tokens.prompt() > long.above => {
                self.at(tokens, long.input_percent, long.output_percent)
            }
            _ => self.at(tokens, 100, 100),
        }
    }

    /// The cost of several requests of which only the sum is known.
    ///
    /// The length of single prompts is unknown; none counts as long.
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
        let nanos = (parts + PARTS_PER_NANO / 2) / PARTS_PER_NANO;
        Dollars::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
