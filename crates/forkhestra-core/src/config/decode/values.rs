//! Decoders and schemas of the plain values of a config file.

use std::borrow::Cow;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decoder::{Decode, Decoder};
use super::record::inline_schema;
use crate::check::CheckSpec;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit, LimitQuantity, OFF, Usd};
use crate::marker::Marker;
use crate::text::count::{Count, CountParseError};
use crate::text::lane_count::LaneCount;

/// A path of a file, relative to the working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName(pub String);

/// A name that is shown and typed: of an agent, a program or a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryName(pub String);

/// A script, a program or a shell command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandText(pub String);

inline_schema! {
    CommandText => { "type": "string", "pattern": "\\S" },
    FileName => { "type": "string", "minLength": 1 },
    EntryName => {
        "type": "string",
        // Something visible, or visible ends with no control character between them.
        "pattern": "^[^\\s\\u0000-\\u001f\\u007f]([^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f])?$",
    },
    Marker => { "type": "string", "pattern": "\\S" },
    CheckSpec => {
        "type": "string",
        // Not a built-in check without its argument, and not one with an unexpected argument.
        "pattern": "^(?!\\s*(command|file|marker|task)\\s*$)(?!\\s*(command|file|marker|task):\\s*(\"\"|'')?\\s*$)(?!\\s*(exit-code|tasks|planned)\\s*:)\\s*\\S",
    },
    Count => { "type": "integer", "minimum": 1, "maximum": u32::MAX },
    LaneCount => { "type": "integer", "minimum": LaneCount::MIN, "maximum": LaneCount::MAX },
    HumanDuration => {
        "type": "string",
        "pattern": "^\\s*([0-9]+(\\.[0-9]+)?\\s*(h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|ms|msecs?|millis(econds?)?)[\\s,]*)+$",
        "examples": ["90s", "30m", "1h 30m"],
    },
    Usd => { "type": "number", "minimum": 0.000001, "maximum": 1e12 },
}

impl Decode for String {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        decoder.string(value, "a string")
    }
}

impl Decode for bool {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let Value::BooleanLit(literal) = value else {
            decoder.mismatch(value, "`true` or `false`");
            return None;
        };
        Some(literal.value)
    }
}

impl Decode for FileName {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let path = decoder.string(value, "a path")?;
        if path.is_empty() {
            decoder.invalid(value, "must be a path, found an empty string");
            return None;
        }
        Some(Self(path))
    }
}

impl Decode for EntryName {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let name = decoder.string(value, "a name")?;
        match check_name(&name) {
            Ok(()) => Some(Self(name)),
            Err(why) => {
                decoder.invalid(value, why);
                None
            }
        }
    }
}

/// Names are shown, typed and looked up, so they must be visible and unambiguous.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("must be a name, found an empty string")
    } else if name.trim() != name {
        Err("must not begin or end with white space")
    } else if name.contains(char::is_control) {
        Err("must not contain control characters")
    } else {
        Ok(())
    }
}

impl Decode for CommandText {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let command = decoder.string(value, "a command")?;
        if command.trim().is_empty() {
            decoder.invalid(value, "must be a command, found an empty string");
            return None;
        }
        Some(Self(command))
    }
}

impl Decode for Marker {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "a line of text or a \"/regex/\"")?;
        Self::parse(&text).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

impl Decode for CheckSpec {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "a check")?;
        Self::parse(&text).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

impl Decode for Count {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let parsed = match value {
            Value::NumberLit(literal) => Self::parse(literal.value),
            _ => Err(CountParseError::NotANumber),
        };
        match parsed {
            Ok(_) => {}
            Err(why @ CountParseError::TooLarge) => decoder.invalid(value, why),
            Err(_) => {
                decoder.mismatch(value, "a positive whole number");
            }
        }
        parsed.ok()
    }
}

impl Decode for LaneCount {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let count = match value {
            Value::NumberLit(literal) => Self::parse(literal.value).ok(),
            _ => None,
        };
        if count.is_none() {
            let expected = format!("a whole number from {} to {}", Self::MIN, Self::MAX);
            decoder.mismatch(value, &expected);
        }
        count
    }
}

/// A quantity and its JSON form.
trait JsonQuantity: LimitQuantity + JsonSchema {
    const EXPECTED: &'static str;
    /// Whether it is written as a number or as a string.
    const IS_NUMBER: bool;
}

impl JsonQuantity for HumanDuration {
    const EXPECTED: &'static str = "a duration such as \"30m\", or \"off\"";
    const IS_NUMBER: bool = false;
}

impl JsonQuantity for Usd {
    const EXPECTED: &'static str = "an amount in US dollars such as 2.50, or \"off\"";
    const IS_NUMBER: bool = true;
}

impl JsonQuantity for Count {
    const EXPECTED: &'static str = "a positive whole number, or \"off\"";
    const IS_NUMBER: bool = true;
}

impl<T: JsonQuantity> Decode for Limit<T> {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let written = match value {
            Value::StringLit(literal) if literal.value == OFF => return Some(Self::Off),
            Value::StringLit(literal) if !T::IS_NUMBER => Some(literal.value.as_ref()),
            Value::NumberLit(literal) if T::IS_NUMBER => Some(literal.value),
            _ => None,
        };
        let Some(written) = written else {
            decoder.mismatch(value, T::EXPECTED);
            return None;
        };
        T::parse(written).map(Self::At).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

impl<T: JsonSchema> JsonSchema for Limit<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Limit{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "const": OFF }, generator.subschema_for::<T>()] })
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let Value::Array(array) = value else {
            decoder.mismatch(value, "an array");
            return None;
        };
        // Every element is decoded, so that all errors are found, before any failure counts.
        let elements: Vec<Option<T>> = array
            .elements
            .iter()
            .enumerate()
            .map(|(index, element)| decoder.at_index(index, |decoder| T::decode(element, decoder)))
            .collect();
        elements.into_iter().collect()
    }
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
