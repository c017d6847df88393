//! The shipped prices.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::ModelPrice;

/// The table, parsed on first use.
pub(super) static SHIPPED: LazyLock<ShippedPrices> =
    LazyLock::new(|| read(TEXT).expect("a test reads the same file").into());

const TEXT: &str = include_str!("prices.json");

/// All shipped prices and their date.
#[derive(Debug)]
pub(super) struct ShippedPrices {
    pub(super) as_of: String,
    pub(super) models: BTreeMap<String, ModelPrice>,
}

impl From<PriceFile> for ShippedPrices {
    fn from(file: PriceFile) -> Self {
        let models = file.families.into_iter().flat_map(|family| family.models).collect();
        Self { as_of: file.as_of, models }
    }
}

/// The file. Members without a reader are validated by being parsed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PriceFile {
    as_of: String,
    #[serde(rename = "currency")]
    _currency: PriceCurrency,
    families: Vec<ModelFamily>,
}

#[derive(Debug, Deserialize)]
enum PriceCurrency {
    #[serde(rename = "USD")]
    Usd,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ModelFamily {
    #[serde(rename = "family")]
    _family: String,
    #[serde(rename = "source")]
    _source: PriceSource,
    models: BTreeMap<String, ModelPrice>,
}

/// The origin of the figures.
#[derive(Debug, Deserialize)]
enum PriceSource {
    /// The provider's list price.
    #[serde(rename = "list price")]
    ListPrice,
    /// The price that the agent itself calculated with.
    #[serde(rename = "measured")]
    Measured,
}

fn read(text: &str) -> Result<PriceFile, serde_json::Error> {
    serde_json::from_str(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Dollars, TokenCounts};

    #[test]
    fn the_shipped_file_is_read() {
        let file = read(TEXT).expect("the shipped prices");
        assert_eq!(file.as_of, "2026-11-15");
        let models: Vec<_> = file.families.iter().flat_map(|family| family.models.keys()).collect();
        // Each model is on a line of its own; a duplicate key would be lost in the map.
        assert_eq!(models.len(), TEXT.matches("\"input\":").count());
        assert_eq!(models.len(), ShippedPrices::from(read(TEXT).expect("as above")).models.len());
    }

    #[test]
    fn prices_are_plausible() {
        for (model, price) in &SHIPPED.models {
            let (read, write) = (price.cache_read, price.cache_write);
            assert!(read <= price.input && price.input <= write, "{model}");
            assert!(write <= price.cache_write_1h && price.input < price.output, "{model}");
            let token = TokenCounts { input: 1, ..TokenCounts::default() };
            assert!(price.of(token) > Dollars::ZERO, "{model}");
            if let Some(long) = price.long {
                assert!(long.input_percent > 100 && long.output_percent > 100, "{model}");
            }
        }
    }

    #[test]
    fn a_file_with_anything_else_in_it_is_not_read() {
        let wrong = [
            ("\"USD\"", "\"EUR\""),
            ("\"measured\"", "\"guessed\""),
            ("\"asOf\"", "\"note\": 1, \"asOf\""),
            ("\"cacheRead\"", "\"cacheReads\""),
        ];
        for (from, to) in wrong {
            assert!(read(&TEXT.replacen(from, to, 1)).is_err(), "{to}");
        }
    }
}
