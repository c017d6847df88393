//! Decoding of a JSON tree into typed values; all errors are collected.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use schemars::JsonSchema;

use super::secrets::may_hold_secrets;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::{SourceText, Span, Spanned};
use crate::text;

/// A type that can be decoded from a JSON value.
///
/// `None` means that an error was reported; the caller goes on with the next value.
pub(crate) trait Decode: Sized + JsonSchema {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self>;
}

/// A member of an object, required or optional.
pub(crate) trait DecodeField: Sized {
    type Inner: JsonSchema;
    const REQUIRED: bool;

    fn take(object: &Object<'_>, key: &'static str, decoder: &mut Decoder) -> Option<Self>;
}

/// The keys of an object and the positions of their values.
pub(crate) struct ObjectKeys<'v, 'a> {
    object: &'v Object<'a>,
}

impl<'v, 'a> ObjectKeys<'v, 'a> {
    pub(crate) fn of(object: &'v Object<'a>) -> Self {
        Self { object }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.span(key).is_some()
    }

    /// A key's value, if the key is present.
    pub(crate) fn value(&self, key: &str) -> Option<&'v Value<'a>> {
        property(self.object, key).map(|property| &property.value)
    }

    /// A key's value, if it is a string.
    pub(crate) fn text(&self, key: &str) -> Option<&'v str> {
        match &property(self.object, key)?.value {
            Value::StringLit(literal) => Some(literal.value.as_ref()),
            _ => None,
        }
    }

    /// The strings of a key's value, if it is a list, each with its index and position.
    pub(crate) fn texts(&self, key: &str) -> Vec<(usize, &'v str, Span)> {
        let Some(Value::Array(list)) = property(self.object, key).map(|property| &property.value)
        else {
            return Vec::new();
        };
        let text = |(index, value): (usize, &'v Value<'a>)| match value {
            Value::StringLit(literal) => Some((index, literal.value.as_ref(), span_of(value))),
            _ => None,
        };
        list.elements.iter().enumerate().filter_map(text).collect()
    }

    /// Whether a key's value is an empty list.
    pub(crate) fn is_empty_list(&self, key: &str) -> bool {
        let value = property(self.object, key).map(|property| &property.value);
        matches!(value, Some(Value::Array(list)) if list.elements.is_empty())
    }

    /// The position of a key, if it is present.
    pub(crate) fn key_span(&self, key: &str) -> Option<Span> {
        property(self.object, key).map(|property| span_of(&property.name))
    }

    /// The position of a key's value, if the key is present.
    pub(crate) fn span(&self, key: &str) -> Option<Span> {
        property(self.object, key).map(|property| span_of(&property.value))
    }
}

/// Collects errors and tracks the current path in the tree.
pub(crate) struct Decoder {
    source: Arc<SourceText>,
    path: Vec<JsonPathSegment>,
    diagnostics: Vec<Diagnostic>,
}

/// One segment of the path from the root to a value.
enum JsonPathSegment {
    Key(String),
    Index(usize),
}

impl Decoder {
    pub(crate) fn new(source: Arc<SourceText>) -> Self {
        Self { source, path: Vec::new(), diagnostics: Vec::new() }
    }

    /// The text of the file for diagnostics.
    pub(crate) fn source(&self) -> &Arc<SourceText> {
        &self.source
    }

    /// The diagnostics in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics
            .sort_by_key(|diagnostic| diagnostic.label.as_ref().map(|label| label.span));
        self.diagnostics
    }

    pub(crate) fn at_key<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.at(JsonPathSegment::Key(key.to_owned()), read)
    }

    pub(crate) fn at_index<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.at(JsonPathSegment::Index(index), read)
    }

    fn at<T>(&mut self, segment: JsonPathSegment, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment);
        let result = read(self);
        self.path.pop();
        result
    }

    /// Reports an error at a position; the caller may add to it.
    pub(crate) fn error(
        &mut self,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Diagnostic::error(message).at(&self.source, span, label))
    }

    /// Reports a warning at a position; the caller may add to it.
    pub(crate) fn warning(
        &mut self,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Diagnostic::warning(message).at(&self.source, span, label))
    }

    /// Reports a diagnostic about the file.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.push(diagnostic);
    }

    fn push(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        self.diagnostics.push(diagnostic);
        self.diagnostics.last_mut().expect("one was just pushed")
    }

    /// Reports that the current value has the wrong type; the caller may add to it.
    pub(crate) fn mismatch(&mut self, value: &Value<'_>, expected: &str) -> &mut Diagnostic {
        let found = if self.may_be_secret() { type_of(value).to_owned() } else { found(value) };
        let message = format!("{} must be {expected}, found {found}", self.subject());
        self.error(span_of(value), message, format!("expected {expected}"))
    }

    /// Reports that the current value is not one of the allowed words.
    pub(crate) fn unknown_word(&mut self, value: &Value<'_>, word: &str, known: &[&str]) {
        let error = self.mismatch(value, &text::join_with_or(&text::quoted(known)));
        error.hints.extend(text::did_you_mean(word, known.iter().copied()));
    }

    /// Reports that the current value has the right type but is not allowed.
    pub(crate) fn invalid(&mut self, value: &Value<'_>, why: impl fmt::Display) {
        let message = format!("{} {why}", self.subject());
        self.error(span_of(value), message, "this value");
    }

    pub(crate) fn string(&mut self, value: &Value<'_>, expected: &str) -> Option<String> {
        let Value::StringLit(literal) = value else {
            self.mismatch(value, expected);
            return None;
        };
        if literal.value.contains('\0') {
            self.invalid(value, "contains a NUL character, which no program can be given");
            return None;
        }
        Some(literal.value.clone().into_owned())
    }

    /// The current object, after a check for duplicate keys.
    pub(crate) fn object<'v, 'a>(
        &mut self,
        value: &'v Value<'a>,
        expected: &str,
    ) -> Option<&'v Object<'a>> {
        let Value::Object(object) = value else {
            self.mismatch(value, expected);
            return None;
        };
        let mut first_seen = BTreeMap::new();
        for property in &object.properties {
            let span = span_of(&property.name);
            if let Some(first) = first_seen.insert(key_of(property), span) {
                let message = format!("duplicate key `{}`", self.path_to(key_of(property)));
                let error = self.error(span, message, "given again here");
                *error = error.clone().related(first, "first given here");
            }
        }
        Some(object)
    }

    /// Warns about unknown keys. Lists of keys that are reported elsewhere are excluded.
    pub(crate) fn warn_unknown_keys(
        &mut self,
        object: &Object<'_>,
        what: &str,
        known: &[&str],
        reported: &[&[&str]],
    ) {
        for property in &object.properties {
            let key = key_of(property);
            if known.contains(&key) || reported.iter().any(|keys| keys.contains(&key)) {
                continue;
            }
            let message = format!("unknown key `{}`", self.path_to(key));
            let guess = || text::did_you_mean(key, known.iter().copied());
            let hint = misplaced(what, key).or_else(guess);
            let label = format!("not a key of {what}; it is ignored");
            let warning = self.warning(span_of(&property.name), message, label);
            warning.hints.extend(hint);
        }
    }

    pub(crate) fn missing_key(&mut self, object: &Object<'_>, key: &str) {
        let message = format!("missing key `{}`", self.path_to(key));
        let start = span_of(object).start;
        self.error(Span::new(start, start + 1), message, format!("this object needs `{key}`"));
    }

    /// The path from the root, as in `chains.build.steps[0].iterations`.
    pub(crate) fn here(&self) -> String {
        let mut text = String::new();
        for segment in &self.path {
            match segment {
                JsonPathSegment::Key(key) if text.is_empty() => text.push_str(key),
                JsonPathSegment::Key(key) => text.extend([".", key]),
                JsonPathSegment::Index(index) => text.extend(["[", &index.to_string(), "]"]),
            }
        }
        text
    }

    /// How many values of a key contain the current value, itself included.
    pub(crate) fn nesting_of(&self, key: &str) -> usize {
        self.fixed_keys().filter(|above| *above == key).count()
    }

    /// Whether the current value must not be quoted in a message.
    fn may_be_secret(&self) -> bool {
        self.fixed_keys().any(may_hold_secrets)
    }

    /// The keys of the current path, except for the second one: it is the name of an agent or a
    /// chain.
    fn fixed_keys(&self) -> impl Iterator<Item = &str> {
        let segments = self.path.iter().enumerate().filter(|(depth, _)| *depth != 1);
        segments.filter_map(|(_, segment)| match segment {
            JsonPathSegment::Key(key) => Some(key.as_str()),
            JsonPathSegment::Index(_) => None,
        })
    }

    /// The subject of a message about the current value.
    fn subject(&self) -> String {
        if self.path.is_empty() {
            "the config file".to_owned()
        } else {
            format!("`{}`", self.here())
        }
    }

    pub(crate) fn path_to(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.here()) }
    }
}

impl<T: Decode> DecodeField for Spanned<T> {
    type Inner = T;
    const REQUIRED: bool = true;

    fn take(object: &Object<'_>, key: &'static str, decoder: &mut Decoder) -> Option<Self> {
        match property(object, key) {
            Some(property) => decoder.at_key(key, |decoder| Self::decode(&property.value, decoder)),
            None => {
                decoder.missing_key(object, key);
                None
            }
        }
    }
}

impl<T: Decode> DecodeField for Option<Spanned<T>> {
    type Inner = T;
    const REQUIRED: bool = false;

    fn take(object: &Object<'_>, key: &'static str, decoder: &mut Decoder) -> Option<Self> {
        match property(object, key) {
            Some(property) => {
                decoder.at_key(key, |decoder| Spanned::decode(&property.value, decoder)).map(Some)
            }
            None => Some(None),
        }
    }
}

impl<T: Decode> Decode for Spanned<T> {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        T::decode(value, decoder).map(|inner| Self::new(inner, span_of(value)))
    }
}

/// The hint for a key that belongs elsewhere or was removed.
fn misplaced(what: &str, key: &str) -> Option<String> {
    match (what, key) {
        ("an entry" | "a step" | "a question" | "a group", "hooks") => {
            Some("hooks belong to the whole chain: put `hooks` beside `steps`".to_owned())
        }
        ("an agent", "faults") => Some("fault injection was removed: delete `faults`".to_owned()),
        _ => None,
    }
}

/// The found value, for messages.
fn found(value: &Value<'_>) -> String {
    match value {
        // A URL may be a secret.
        Value::StringLit(literal) if literal.value.contains("://") => type_of(value).to_owned(),
        Value::StringLit(literal) if literal.value.chars().count() <= 40 => {
            format!("the string {:?}", literal.value)
        }
        Value::NumberLit(literal) => format!("the number {}", literal.value),
        Value::BooleanLit(literal) => format!("`{}`", literal.value),
        _ => type_of(value).to_owned(),
    }
}

fn type_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "`null`",
    }
}

pub(crate) fn property<'v, 'a>(object: &'v Object<'a>, key: &str) -> Option<&'v ObjectProp<'a>> {
    object.properties.iter().find(|property| key_of(property) == key)
}

pub(crate) fn key_of<'v>(property: &'v ObjectProp<'_>) -> &'v str {
    property.name.as_str()
}

pub(crate) fn span_of(node: &impl Ranged) -> Span {
    Span::new(node.start(), node.end())
}
