//! The entries of a chain or a group, as an array or as a chain in one line.

use std::borrow::Cow;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::from_dsl;
use super::stage_entry::{StageEntry, nesting_of_groups};
use crate::config::decode::decoder::{Decode, Decoder, span_of};
use crate::diagnostic::source::Spanned;
use crate::dsl::{Dsl, MAX_GROUP_DEPTH};

/// The entries of a chain or a group, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct StageEntries(pub Vec<Spanned<StageEntry>>);

impl Decode for StageEntries {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        match value {
            Value::Array(_) => Vec::decode(value, decoder).map(Self),
            Value::StringLit(_) => chain_in_one_line(value, decoder),
            _ => {
                decoder.mismatch(value, "an array or a chain such as \"planner:3 -> builder\"");
                None
            }
        }
    }
}

fn chain_in_one_line(value: &Value<'_>, decoder: &mut Decoder) -> Option<StageEntries> {
    let text = decoder.string(value, "a chain")?;
    let depth = MAX_GROUP_DEPTH.saturating_sub(nesting_of_groups(decoder));
    let parsed = Dsl::parse_in(decoder.source(), span_of(value), &text, depth);
    let messages = match &parsed {
        // The plan of the chain warns about groups with one round.
        Ok(dsl) => dsl.warnings_of_alternatives(),
        Err(errors) => errors.clone(),
    };
    messages.into_iter().for_each(|message| decoder.report(message));
    parsed.ok().map(|dsl| from_dsl::entries(dsl.chain))
}

impl JsonSchema for StageEntries {
    fn schema_name() -> Cow<'static, str> {
        "StageEntries".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let array = generator.subschema_for::<Vec<Spanned<StageEntry>>>();
        json_schema!({ "anyOf": [array, { "type": "string", "pattern": "\\S" }] })
    }
}
