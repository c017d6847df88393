//! The JSON form of a price.

use serde::{Deserialize, Serialize};

use super::{LongPromptPrice, ModelPrice, TokenRate};

/// Dollars per million tokens; omitted cache rates follow from the rest.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PriceJson {
    input: TokenRate,
    output: TokenRate,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cache_read: Option<TokenRate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cache_write: Option<TokenRate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cache_write_1h: Option<TokenRate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    long: Option<LongPromptPrice>,
}

impl From<PriceJson> for ModelPrice {
    fn from(written: PriceJson) -> Self {
        let cache_write = written.cache_write.unwrap_or(written.input);
        Self {
            input: written.input,
            output: written.output,
            cache_read: written.cache_read.unwrap_or(written.input),
            cache_write,
            cache_write_1h: written.cache_write_1h.unwrap_or(cache_write),
            long: written.long,
        }
    }
}

impl From<ModelPrice> for PriceJson {
    fn from(price: ModelPrice) -> Self {
        Self {
            input: price.input,
            output: price.output,
            cache_read: Some(price.cache_read),
            cache_write: Some(price.cache_write),
            cache_write_1h: Some(price.cache_write_1h),
            long: price.long,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<String, String> {
        let price: ModelPrice = serde_json::from_str(json).map_err(|why| why.to_string())?;
        let again = serde_json::to_string(&price).expect("a price is plain data");
        assert_eq!(serde_json::from_str::<ModelPrice>(&again).expect("it was written"), price);
        let ModelPrice { input, output, cache_read, cache_write, cache_write_1h, .. } = price;
        Ok(format!("{input} {output} {cache_read} {cache_write} {cache_write_1h}"))
    }

    #[test]
    fn missing_cache_prices_default_to_the_input_or_cache_write_price() {
        let table = [
            (r#"{"input": 3, "output": 15}"#, "$3.00 $15.00 $3.00 $3.00 $3.00"),
            (r#"{"input": 3, "output": 15, "cacheRead": 0.3}"#, "$3.00 $15.00 $0.30 $3.00 $3.00"),
            (r#"{"input": 3, "output": 15, "cacheWrite": 4}"#, "$3.00 $15.00 $3.00 $4.00 $4.00"),
            (
                r#"{"input": 3, "output": 15, "cacheRead": 0, "cacheWrite": 4, "cacheWrite1h": 6}"#,
                "$3.00 $15.00 $0.00 $4.00 $6.00",
            ),
            (
                r#"{"input": 1, "output": 2,
                    "long": {"above": 9, "inputPercent": 200, "outputPercent": 150}}"#,
                "$1.00 $2.00 $1.00 $1.00 $1.00",
            ),
        ];
        for (json, expected) in table {
            assert_eq!(read(json).as_deref(), Ok(expected), "{json}");
        }
    }

    #[test]
    fn an_invalid_price_is_refused() {
        for json in [
            r#"{"input": 3}"#,
            r#"{"input": 3, "output": -1}"#,
            r#"{"input": 3, "output": "15"}"#,
            r#"{"input": 3, "output": 15, "cache_read": 1}"#,
            r#"{"input": 0.0000001, "output": 15}"#,
            r#"{"input": 1, "output": 2, "long": {"above": 9}}"#,
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }
}
