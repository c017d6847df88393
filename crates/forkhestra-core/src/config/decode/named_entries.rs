//! Objects whose keys are names chosen by the user.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decoder::{Decode, Decoder, key_of, span_of};
use super::values::{EntryName, check_name};
use crate::diagnostic::source::Spanned;

/// An object whose keys are names chosen by the user, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedEntries<T> {
    entries: Vec<(Spanned<String>, T)>,
    /// The index of each name among the entries.
    index: BTreeMap<String, usize>,
}

impl<T> NamedEntries<T> {
    /// Finds an entry by its name.
    pub fn get(&self, name: &str) -> Option<(&Spanned<String>, &T)> {
        let (key, value) = &self.entries[*self.index.get(name)?];
        Some((key, value))
    }

    /// All entries in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&Spanned<String>, &T)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// All names in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| key.value.as_str())
    }
}

impl<T: Decode> Decode for NamedEntries<T> {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let object = decoder.object(value, "an object")?;
        let mut entries = Vec::new();
        let mut all_read = true;
        for property in &object.properties {
            let key = key_of(property);
            let span = span_of(&property.name);
            if let Err(why) = check_name(key) {
                let message = format!("a key of `{}` {why}", decoder.here());
                decoder.error(span, message, "this key");
                all_read = false;
            }
            match decoder.at_key(key, |decoder| T::decode(&property.value, decoder)) {
                Some(entry) => entries.push((Spanned::new(key.to_owned(), span), entry)),
                None => all_read = false,
            }
        }
        let names = entries.iter().enumerate();
        let index = names.map(|(at, (key, _))| (key.value.clone(), at)).collect();
        all_read.then_some(Self { entries, index })
    }
}

impl<T: JsonSchema> JsonSchema for NamedEntries<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("TableOf{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "propertyNames": generator.subschema_for::<EntryName>(),
            "additionalProperties": generator.subschema_for::<T>(),
        })
    }
}
