//! The config entries of clean rooms.

use std::borrow::Cow;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decode::decoder::{Decode, Decoder};
use super::decode::record::record;
use super::decode::relative_path::RelativePath;
use super::decode::values::CommandText;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit};

/// Whether checks run in a clean room, and its settings.
#[derive(Debug, Clone, PartialEq)]
pub enum CleanRoomEntry {
    /// They run in the work tree itself.
    Off,
    On(RoomEntry),
}

record! {
    /// A directory with only what is committed, in which checks run.
    pub struct RoomEntry is "a clean room" {
        /// A shell command that prepares the clean room for the checks.
        "setup" => setup: Option<Spanned<CommandText>>,
        /// Paths of caches that are kept from one clean room to the next.
        "keep" => keep: Option<Spanned<Vec<Spanned<RelativePath>>>>,
        /// How long the set-up may take.
        "timeout" => timeout: Option<Spanned<Limit<HumanDuration>>>,
    }
}

impl CleanRoomEntry {
    /// The clean room's settings, if checks run in one.
    pub const fn room(&self) -> Option<&RoomEntry> {
        match self {
            Self::Off => None,
            Self::On(room) => Some(room),
        }
    }
}

impl Decode for CleanRoomEntry {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        match value {
            Value::BooleanLit(literal) if literal.value => {
                Some(Self::On(RoomEntry { setup: None, keep: None, timeout: None }))
            }
            Value::BooleanLit(_) => Some(Self::Off),
            Value::Object(_) => RoomEntry::decode(value, decoder).map(Self::On),
            _ => {
                decoder.mismatch(value, "`true`, `false` or an object");
                None
            }
        }
    }
}

impl JsonSchema for CleanRoomEntry {
    fn schema_name() -> Cow<'static, str> {
        "CleanRoomEntry".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean" }, generator.subschema_for::<RoomEntry>()] })
    }
}
