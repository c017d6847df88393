//! The config entries of sandboxes.

use std::borrow::Cow;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decode::decoder::{Decode, Decoder};
use super::decode::record::{choice, record};
use super::decode::values::FileName;
use crate::diagnostic::source::{Span, Spanned};

choice! {
    /// The sandbox that is requested for agents and checks.
    pub enum SandboxChoice {
        /// The strictest level that needs no settings: `workspace`, or else `guard`.
        Auto = "auto",
        /// No sandbox.
        Off = "off",
        /// Only listed directories can be written.
        Guard = "guard",
        /// A file system and processes of its own; everything outside the work tree is read-only.
        Workspace = "workspace",
        /// Like `workspace`, with a hidden home directory and listed hosts only.
        Strict = "strict",
    }
}

record! {
    /// The sandbox of agents and checks.
    pub struct SandboxSettings is "a sandbox" {
        /// The level.
        "level" => level: Option<Spanned<SandboxChoice>>,
        /// Further files and directories that can be written; `~` is the home directory. Only in
        /// the user's own config.
        "writable" => writable: Option<Spanned<Vec<Spanned<FileName>>>>,
        /// Further hosts that can be reached in `strict`. Only in the user's own config.
        "hosts" => hosts: Option<Spanned<Vec<Spanned<String>>>>,
        /// Further environment variables that are passed on in `strict`. Only in the user's own
        /// config.
        "env" => env: Option<Spanned<Vec<Spanned<String>>>>,
    }
}

/// The sandbox of agents and checks: a level, or a level with exceptions.
#[derive(Debug, Clone, PartialEq)]
pub struct SandboxEntry(pub SandboxSettings);

impl SandboxEntry {
    /// The requested level, if one is written.
    pub fn level(&self) -> Option<&Spanned<SandboxChoice>> {
        self.0.level.as_ref()
    }

    /// The exceptions that loosen a level, by key.
    pub fn exceptions(&self) -> impl Iterator<Item = (&'static str, Span)> {
        let SandboxSettings { writable, hosts, env, .. } = &self.0;
        let spans = [
            ("writable", writable.as_ref().map(|list| list.span)),
            ("hosts", hosts.as_ref().map(|list| list.span)),
            ("env", env.as_ref().map(|list| list.span)),
        ];
        spans.into_iter().filter_map(|(key, span)| Some((key, span?)))
    }
}

impl Decode for SandboxEntry {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        match value {
            Value::Object(_) => SandboxSettings::decode(value, decoder).map(Self),
            _ => {
                let level = Some(Spanned::decode(value, decoder)?);
                Some(Self(SandboxSettings { level, writable: None, hosts: None, env: None }))
            }
        }
    }
}

impl JsonSchema for SandboxEntry {
    fn schema_name() -> Cow<'static, str> {
        "SandboxEntry".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let word = generator.subschema_for::<SandboxChoice>();
        json_schema!({ "anyOf": [word, generator.subschema_for::<SandboxSettings>()] })
    }
}
