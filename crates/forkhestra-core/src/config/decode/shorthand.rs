//! Objects that may be written in short form, as their most important value.

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decoder::{Decode, Decoder, span_of};
use crate::diagnostic::source::Spanned;

/// A value that was written as an object or in short form.
#[derive(Debug, Clone, PartialEq)]
pub struct Shorthand<T>(pub T);

/// An object that one of its members can stand for.
pub(crate) trait ShorthandObject: Decode {
    type Brief: Decode;

    fn from_shorthand(brief: Spanned<Self::Brief>) -> Self;
}

impl<T: ShorthandObject> Decode for Shorthand<T> {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        if let Value::Object(_) = value {
            return T::decode(value, decoder).map(Self);
        }
        let brief = T::Brief::decode(value, decoder)?;
        Some(Self(T::from_shorthand(Spanned::new(brief, span_of(value)))))
    }
}

impl<T: ShorthandObject> JsonSchema for Shorthand<T> {
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
