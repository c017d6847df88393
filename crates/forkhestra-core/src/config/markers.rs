//! The config entries of markers.

use std::borrow::Cow;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decode::decoder::{Decode, Decoder, span_of};
use crate::marker::Marker;

/// The marker lines that complete a step; there is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markers(pub Vec<Marker>);

impl Decode for Markers {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let markers = Vec::decode(value, decoder)?;
        if markers.is_empty() {
            let message = format!("`{}` holds no marker", decoder.here());
            let error = decoder.error(span_of(value), message, "expected at least one");
            error.hints.push("leave `markers` out to use the usual ones".to_owned());
            return None;
        }
        Some(Self(markers))
    }
}

impl JsonSchema for Markers {
    fn schema_name() -> Cow<'static, str> {
        "Markers".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let marker = generator.subschema_for::<Marker>();
        json_schema!({ "type": "array", "minItems": 1, "items": marker })
    }
}
