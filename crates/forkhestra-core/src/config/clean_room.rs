//! Clean rooms as the config file gives them.

use std::borrow::Cow;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decode::decoder::{Decode, Decoder};
use super::decode::record::record;
use super::decode::relative_path::RelativePath;
use super::decode::values::CommandText;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit};

/// Whether checks run in a clean room, and in which.
#[derive(Debug, Clone, PartialEq)]
pub enum CleanRoomEntry {
    /// They run in the work tree itself.
    Off,
    /// They run in such a room.
    On(RoomEntry),
}

record! {
    /// A place with nothing in it but what is committed, in which checks run.
    pub struct RoomEntry is "a clean room" {
        /// A shell command that makes the room ready for the checks.
        "setup" => setup: Option<Spanned<CommandText>>,
        /// What is kept from one room to the next: paths of caches.
        "keep" => keep: Option<Spanned<Vec<Spanned<RelativePath>>>>,
        /// How long the setup may take.
        "timeout" => timeout: Option<Spanned<Limit<HumanDuration>>>,
    }
}

impl CleanRoomEntry {
    /// The room, if checks run in one.
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
