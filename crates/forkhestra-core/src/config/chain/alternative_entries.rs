//! The value of `else`.

use std::borrow::Cow;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::stage_entry::{StageEntry, entry_hint};
use crate::config::decode::decoder::{Decode, Decoder, span_of};
use crate::diagnostic::source::Spanned;
use crate::dsl::MAX_ELSE_PARTS;

/// What runs instead of an entry that is not complete: a chain of at least one entry.
#[derive(Debug, Clone, PartialEq)]
pub struct AlternativeEntries(pub Vec<Spanned<StageEntry>>);

impl Decode for AlternativeEntries {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        if decoder.nesting_of("else") >= MAX_ELSE_PARTS {
            let message = format!(
                "`{}` is one of more than {MAX_ELSE_PARTS} parts that `else` joins",
                decoder.here()
            );
            let error = decoder.error(span_of(value), message, "one part too many");
            error.hints.push("put some of them into a group".to_owned());
            return None;
        }
        match value {
            Value::Object(_) => {
                let entry = StageEntry::decode(value, decoder)?;
                Some(Self(vec![Spanned::new(entry, span_of(value))]))
            }
            Value::Array(array) if array.elements.is_empty() => {
                let message = format!("`{}` has no entry", decoder.here());
                decoder.error(span_of(value), message, "expected an entry");
                None
            }
            Value::Array(_) => Vec::decode(value, decoder).map(Self),
            _ => {
                let error = decoder.mismatch(value, "an entry or an array of entries");
                if let Value::StringLit(text) = value {
                    error.hints.push(entry_hint(&text.value));
                }
                None
            }
        }
    }
}

impl JsonSchema for AlternativeEntries {
    fn schema_name() -> Cow<'static, str> {
        "AlternativeEntries".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut array = generator.subschema_for::<Vec<Spanned<StageEntry>>>();
        array.insert("minItems".to_owned(), 1.into());
        json_schema!({ "anyOf": [generator.subschema_for::<StageEntry>(), array] })
    }
}
