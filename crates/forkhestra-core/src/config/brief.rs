//! Objects that may be written in brief, as the one value that matters most.

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decode::{Decode, Decoder, span_of};
use crate::source::Spanned;

/// A value that was written in full, as an object, or in brief.
#[derive(Debug, Clone, PartialEq)]
pub struct Brief<T>(pub T);

/// An object that one of its members can stand for.
pub(super) trait InBrief: Decode {
    type Brief: Decode;

    fn from_brief(brief: Spanned<Self::Brief>) -> Self;
}

impl<T: InBrief> Decode for Brief<T> {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        if let Value::Object(_) = value {
            return T::decode(value, decoder).map(Self);
        }
        let brief = T::Brief::decode(value, decoder)?;
        Some(Self(T::from_brief(Spanned::new(brief, span_of(value)))))
    }
}

impl<T: InBrief> JsonSchema for Brief<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Brief{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [generator.subschema_for::<T::Brief>(), generator.subschema_for::<T>()],
        })
    }
}
