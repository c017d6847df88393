//! One entry of a chain.

use std::borrow::Cow;

use jsonc_parser::ast::{Object, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::alternative_entries::AlternativeEntries;
use super::group_entry::GroupEntry;
use super::lanes::lane_placement::validate_placement;
use super::lanes::parallel_entry::ParallelEntry;
use super::question_entry::QuestionEntry;
use super::repeated_alternatives::warn_of_repeated;
use super::step_entry::StepEntry;
use crate::config::decode::decoder::{Decode, Decoder, ObjectKeys, key_of, span_of};
use crate::config::decode::record::Record;
use crate::diagnostic::source::{Span, Spanned};
use crate::dsl::{Dsl, DslChain, DslLanes, DslPartKind, MAX_GROUP_DEPTH};

/// One entry of a chain. Its kind is that of the key that it has: `agent`, `ask`, `group` or
/// `parallel`.
#[derive(Debug, Clone, PartialEq)]
pub enum StageEntry {
    Agent(Box<StepEntry>),
    Question(Box<QuestionEntry>),
    Group(Box<GroupEntry>),
    Parallel(Box<ParallelEntry>),
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
            Self::Parallel(parallel) => parallel.alternative.as_ref(),
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
            Some((kind @ ("group" | "parallel"), key)) if is_too_deep(kind, *key, decoder) => None,
            Some(("group", _)) => {
                GroupEntry::decode(value, decoder).map(|entry| Self::Group(Box::new(entry)))
            }
            Some(("parallel", _)) => {
                ParallelEntry::decode(value, decoder).map(|entry| Self::Parallel(Box::new(entry)))
            }
            None if lacks_a_kind(value, decoder) => None,
            Some(_) | None => {
                StepEntry::decode(value, decoder).map(|entry| Self::Agent(Box::new(entry)))
            }
        };
        let entry = entry.filter(|_| kinds.len() <= 1)?;
        // The outermost entry has all others in it.
        if nesting_of_groups(decoder) == 0 && decoder.nesting_of("else") == 0 {
            let entry = Spanned::new(entry, span_of(value));
            validate_placement(&entry, decoder);
            return Some(entry.value);
        }
        Some(entry)
    }
}

/// In how many pairs of parentheses the current value is, in a chain in one line.
pub(crate) fn nesting_of_groups(decoder: &Decoder) -> usize {
    decoder.nesting_of("group") + decoder.nesting_of("parallel")
}

/// The keys of an object that tell its kind, in the order of the text, and their positions.
fn kinds_of<'v>(object: &'v Object<'_>) -> Vec<(&'v str, Span)> {
    let keys = object.properties.iter().map(|member| (key_of(member), span_of(&member.name)));
    let mut kinds: Vec<(&str, Span)> = keys.filter(|(key, _)| KIND_KEYS.contains(key)).collect();
    // A key that is given twice is another mistake.
    kinds.dedup_by_key(|(key, _)| *key);
    kinds
}

fn is_too_deep(kind: &str, key: Span, decoder: &mut Decoder) -> bool {
    let is_too_deep = nesting_of_groups(decoder) >= MAX_GROUP_DEPTH;
    if is_too_deep {
        let message = format!("`{}` is nested more than two groups deep", decoder.path_to(kind));
        let error = decoder.error(key, message, "one group too many");
        error.hints.push("put its entries beside the group".to_owned());
    }
    is_too_deep
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
        let message = format!("`{}` has no `agent`, `group`, `parallel` or `ask`", decoder.here());
        let label = "this entry needs `agent`, `group`, `parallel` or `ask`";
        decoder.error(Span::new(start, start + 1), message, label);
    }
    let known =
        [StepEntry::KEYS, GroupEntry::KEYS, QuestionEntry::KEYS, ParallelEntry::KEYS].concat();
    decoder.warn_unknown_keys(object, "an entry", &known, &[]);
    StepEntry::check_present(object, decoder);
    true
}

/// The hint for a text in the place of an entry: the entry that means the same.
pub(crate) fn entry_hint(text: &str) -> String {
    let Ok(dsl) = Dsl::parse(text) else { return "write `{ \"agent\": \"…\" }`".to_owned() };
    let Some(part) = dsl.chain.only_part() else { return group_hint(&dsl.chain, "") };
    let mut suffix = String::new();
    if let Some(count) = part.count {
        let key = if matches!(part.kind, DslPartKind::Group(_)) { "rounds" } else { "iterations" };
        suffix.push_str(&format!(", \"{key}\": {count}"));
    }
    match part.lanes {
        None => {}
        Some(DslLanes::Shared(lanes)) => suffix.push_str(&format!(", \"lanes\": {lanes}")),
        Some(DslLanes::Best(lanes)) => suffix.push_str(&format!(", \"best\": {lanes}")),
    }
    match &part.kind {
        DslPartKind::Agent(name) => hint_with("agent", &name.value, &suffix),
        DslPartKind::Group(chain) => group_hint(chain, &suffix),
        DslPartKind::Question(_) => hint_with("ask", "…", ""),
        DslPartKind::Parallel(branches) => {
            let branches: Vec<String> = branches.iter().map(ToString::to_string).collect();
            format!("write `{{ \"parallel\": {} }}`", serde_json::Value::from(branches))
        }
    }
}

fn group_hint(chain: &DslChain, suffix: &str) -> String {
    hint_with("group", &chain.to_string(), suffix)
}

fn hint_with(key: &str, value: &str, suffix: &str) -> String {
    format!("write `{{ \"{key}\": {}{suffix} }}`", serde_json::Value::from(value))
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
                generator.subschema_for::<ParallelEntry>(),
            ],
        })
    }
}
