//! The config entry of quota limits.

use std::borrow::Cow;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::decode::decoder::{Decode, Decoder};
use super::decode::record::{inline_schema, record};
use crate::diagnostic::source::Spanned;
use crate::limit::{Limit, OFF};
use crate::quota::{QuotaLimits, QuotaThreshold};

record! {
    /// The share of each window of the account above which no agent is started.
    pub struct QuotaEntry is "quota" {
        /// The share of the five-hour window.
        "5h" => five_hours: Option<Spanned<QuotaThreshold>>,
        /// The share of the seven-day window.
        "7d" => seven_days: Option<Spanned<QuotaThreshold>>,
    }
}

inline_schema! {
    QuotaThreshold => {
        "type": "string",
        "pattern": "^(even|0*([1-9][0-9]?|100)\\s*%)$",
        "examples": ["90%", "even"],
    },
}

impl Decode for QuotaThreshold {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "a share such as \"90%\", or \"even\"")?;
        Self::parse(&text).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

impl Decode for Limit<QuotaLimits> {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        match value {
            Value::StringLit(literal) if literal.value == OFF => return Some(Self::Off),
            Value::Object(_) => {}
            _ => {
                decoder.mismatch(value, "an object such as { \"5h\": \"90%\" }, or \"off\"");
                return None;
            }
        }
        let QuotaEntry { five_hours, seven_days } = QuotaEntry::decode(value, decoder)?;
        let value_of = |threshold: Option<Spanned<QuotaThreshold>>| threshold.map(|it| it.value);
        let limits = QuotaLimits::of(value_of(five_hours), value_of(seven_days));
        if limits.is_none() {
            decoder.invalid(value, "must name a window, as in { \"5h\": \"90%\" }, or be \"off\"");
        }
        limits.map(Self::At)
    }
}

impl JsonSchema for QuotaLimits {
    fn schema_name() -> Cow<'static, str> {
        "QuotaLimits".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = QuotaEntry::json_schema(generator);
        schema.insert("minProperties".to_owned(), 1.into());
        schema
    }
}
