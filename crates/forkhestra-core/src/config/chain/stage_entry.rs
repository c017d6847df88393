//! One entry of a chain.

use std::borrow::Cow;

use jsonc_parser::ast::{Object, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::alternative_entries::AlternativeEntries;
use super::group_entry::GroupEntry;
use super::question_entry::QuestionEntry;
use super::refused_keys::{refuse_lane, refuse_lanes};
use super::repeated_alternatives::warn_of_repeated;
use super::step_entry::StepEntry;
use crate::config::decode::decoder::{Decode, Decoder, ObjectKeys, key_of, span_of};
use crate::config::decode::record::Record;
use crate::diagnostic::source::{Span, Spanned};
use crate::dsl::{Dsl, DslPart, DslPartKind, MAX_GROUP_DEPTH};

/// One entry of a chain. Its kind is that of the key that it has: `agent`, `ask` or `group`.
#[derive(Debug, Clone, PartialEq)]
pub enum StageEntry {
    Agent(Box<StepEntry>),
    Question(Box<QuestionEntry>),
    Group(Box<GroupEntry>),
}

/// The keys that tell the kinds apart.
const KIND_KEYS: [&str; 4] = ["agent", "ask", "group", "parallel"];

impl StageEntry {
    /// What runs instead if the entry is not complete.
    pub fn alternative(&self) -> Option<&Spanned<AlternativeEntries>> {
        match self {
            Self::Agent(step) => step.alternative.as_ref(),
            Self::Question(question) => question.alternative.as_ref(),
            Self::Group(group) => group.alternative.as_ref(),
        }
    }
}

impl Decode for StageEntry {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let kinds = value.as_object().map_or_else(Vec::new, kinds_of);
        if let [(first, first_span), others @ ..] = kinds.as_slice() {
            for (other, span) in others {
                let message = format!("`{}` has both `{first}` and `{other}`", decoder.here());
                let error = decoder.error(*span, message, "the second kind of this entry");
                *error = error.clone().related(*first_span, "the first");
                error.hints.push("write two entries".to_owned());
            }
        }
        match value {
            Value::Object(object) => warn_of_repeated(object, decoder),
            Value::StringLit(text) => {
                let hint = entry_hint(&text.value);
                decoder.mismatch(value, "an object").hints.push(hint);
                return None;
            }
            _ => {}
        }
        let entry = match kinds.first() {
            Some(("ask", _)) => {
                QuestionEntry::decode(value, decoder).map(|entry| Self::Question(Box::new(entry)))
            }
            Some(("group", key)) if is_too_deep(*key, decoder) => None,
            Some(("group", _)) => {
                GroupEntry::decode(value, decoder).map(|entry| Self::Group(Box::new(entry)))
            }
            Some(("parallel", key)) => {
                refuse_parallel(*key, decoder);
                None
            }
            None if lacks_a_kind(value, decoder) => None,
            Some(_) | None => {
                StepEntry::decode(value, decoder).map(|entry| Self::Agent(Box::new(entry)))
            }
        };
        entry.filter(|_| kinds.len() <= 1)
    }
}

/// The keys of an object that tell its kind, in the order of the text, and their positions.
fn kinds_of<'v>(object: &'v Object<'_>) -> Vec<(&'v str, Span)> {
    let keys = object.properties.iter().map(|member| (key_of(member), span_of(&member.name)));
    let mut kinds: Vec<(&str, Span)> = keys.filter(|(key, _)| KIND_KEYS.contains(key)).collect();
    // A key that is given twice is another mistake.
    kinds.dedup_by_key(|(key, _)| *key);
    kinds
}

fn is_too_deep(key: Span, decoder: &mut Decoder) -> bool {
    let is_too_deep = decoder.nesting_of("group") >= MAX_GROUP_DEPTH;
    if is_too_deep {
        let message = format!("`{}` is nested more than two groups deep", decoder.path_to("group"));
        let error = decoder.error(key, message, "one group too many");
        error.hints.push("put its entries beside the group".to_owned());
    }
    is_too_deep
}

fn refuse_parallel(key: Span, decoder: &mut Decoder) {
    let message = format!("`{}` is not supported yet", decoder.path_to("parallel"));
    let error = decoder.error(key, message, "reserved for stages at the same time");
    error.hints.push("write its entries one after another".to_owned());
}

/// Reports an object without a kind.
fn lacks_a_kind(value: &Value<'_>, decoder: &mut Decoder) -> bool {
    if !matches!(value, Value::Object(_)) {
        return false;
    }
    let Some(object) = decoder.object(value, "an object") else { return true };
    let keys = ObjectKeys::of(object);
    if let Some(rounds) = keys.key_span("rounds") {
        let message = format!("`{}` needs `group`", decoder.path_to("rounds"));
        let error = decoder.error(rounds, message, "not for an entry without `group`");
        error.hints.push("add `group`, an array of entries".to_owned());
    } else {
        let start = span_of(object).start;
        let message = format!("`{}` has no `agent`, `group` or `ask`", decoder.here());
        let label = "this entry needs `agent`, `group` or `ask`";
        decoder.error(Span::new(start, start + 1), message, label);
    }
    let known = [StepEntry::KEYS, GroupEntry::KEYS, QuestionEntry::KEYS].concat();
    decoder.warn_unknown_keys(object, "an entry", &known, &[&["lanes", "lane"]]);
    refuse_lanes(&keys, "entries run one after another", decoder);
    refuse_lane(&keys, decoder);
    StepEntry::check_present(object, decoder);
    true
}

/// The hint for a text in the place of an entry: the entry that means the same.
pub(crate) fn entry_hint(text: &str) -> String {
    let Ok(dsl) = Dsl::parse(text) else { return "write `{ \"agent\": \"…\" }`".to_owned() };
    let (key, value, count) = match dsl.chain.only_part() {
        Some(DslPart { kind: DslPartKind::Agent(name), count, .. }) => {
            ("agent", name.value.clone(), count.map(|count| format!(", \"iterations\": {count}")))
        }
        Some(DslPart { kind: DslPartKind::Group(chain), count, .. }) => {
            ("group", chain.to_string(), count.map(|count| format!(", \"rounds\": {count}")))
        }
        Some(DslPart { kind: DslPartKind::Question(_), .. }) => ("ask", "…".to_owned(), None),
        None => ("group", dsl.to_string(), None),
    };
    let value = serde_json::Value::from(value);
    format!("write `{{ \"{key}\": {value}{} }}`", count.unwrap_or_default())
}

impl JsonSchema for StageEntry {
    fn schema_name() -> Cow<'static, str> {
        "StageEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                generator.subschema_for::<StepEntry>(),
                generator.subschema_for::<QuestionEntry>(),
                generator.subschema_for::<GroupEntry>(),
            ],
        })
    }
}
