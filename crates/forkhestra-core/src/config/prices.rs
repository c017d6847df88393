//! The config entries of model prices.

use jsonc_parser::ast::Value;

use super::decode::decoder::{Decode, Decoder, span_of};
use super::decode::record::{inline_schema, record};
use crate::cost::{ModelPrice, TokenRate};
use crate::diagnostic::source::Spanned;

record! {
    /// What a model costs, in US dollars per million tokens.
    pub struct PriceEntry is "a price" {
        /// Input tokens.
        "input" => input: Spanned<TokenRate>,
        /// Output tokens.
        "output" => output: Spanned<TokenRate>,
        /// Tokens that are read from a cache; as much as `input` by default.
        "cacheRead" => cache_read: Option<Spanned<TokenRate>>,
        /// Tokens that are written to a cache; as much as `input` by default.
        "cacheWrite" => cache_write: Option<Spanned<TokenRate>>,
        /// Tokens that are written to a cache for an hour; as much as `cacheWrite` by default.
        "cacheWrite1h" => cache_write_1h: Option<Spanned<TokenRate>>,
    }
}

impl PriceEntry {
    /// The price with defaults for omitted keys.
    pub fn price(&self) -> ModelPrice {
        let plain = ModelPrice::new(self.input.value, self.output.value);
        let or =
            |rate: &Option<Spanned<TokenRate>>, usual| rate.as_ref().map_or(usual, |it| it.value);
        let cache_write = or(&self.cache_write, plain.cache_write);
        ModelPrice {
            cache_read: or(&self.cache_read, plain.cache_read),
            cache_write,
            cache_write_1h: or(&self.cache_write_1h, cache_write),
            ..plain
        }
    }
}

/// An implausibly high price.
const MAX_PLAUSIBLE_PRICE: f64 = 10_000.0;

/// An implausibly low price, which is likely one per token.
const MIN_PLAUSIBLE_PRICE: f64 = 0.0001;

const PER_MILLION: &str = "prices are in US dollars per million tokens";

inline_schema! {
    TokenRate => { "type": "number", "minimum": 0, "maximum": MAX_PLAUSIBLE_PRICE },
}

impl Decode for TokenRate {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let number = match value {
            Value::NumberLit(literal) => literal.value.parse::<f64>().ok(),
            _ => None,
        };
        let Some(dollars) = number else {
            decoder.mismatch(value, "a number of US dollars such as 2.50");
            return None;
        };
        let path = decoder.here();
        let why = match Self::from_dollars(dollars) {
            _ if dollars < 0.0 => "must not be negative",
            _ if dollars > MAX_PLAUSIBLE_PRICE => "is more than any model costs",
            None => "has more than six decimals",
            Some(rate) => {
                if dollars > 0.0 && dollars < MIN_PLAUSIBLE_PRICE {
                    let message = format!("`{path}` is less than any model costs");
                    let warning = decoder.warning(span_of(value), message, "this value");
                    warning.hints.push(PER_MILLION.to_owned());
                }
                return Some(rate);
            }
        };
        let error = decoder.error(span_of(value), format!("`{path}` {why}"), "this value");
        error.hints.push(PER_MILLION.to_owned());
        None
    }
}
