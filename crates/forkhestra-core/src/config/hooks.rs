//! The config entries of hooks.

use std::collections::BTreeMap;

use jsonc_parser::ast::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::decode::decoder::{Decode, Decoder, key_of, span_of};
use super::decode::record::{choice, record};
use super::decode::shorthand::{Shorthand, ShorthandObject};
use super::decode::values::CommandText;
use crate::diagnostic::source::{Span, Spanned};
use crate::hook::HookPoint;
use crate::limit::{HumanDuration, Limit};
use crate::text;

record! {
    /// A hook with its settings.
    pub struct HookEntry is "a hook" {
        /// A script, a program or a shell command.
        "run" => run: Spanned<CommandText>,
        /// How long it may take.
        "timeout" => timeout: Option<Spanned<Limit<HumanDuration>>>,
        /// What happens to the run when the hook fails.
        "onError" => on_error: Option<Spanned<OnHookError>>,
    }
}

choice! {
    /// What a failing hook does to the run.
    pub enum OnHookError {
        /// It is logged.
        Continue = "continue",
        /// The run ends.
        Abort = "abort",
    }
}

impl ShorthandObject for HookEntry {
    type Brief = CommandText;

    fn from_shorthand(run: Spanned<CommandText>) -> Self {
        Self { run, timeout: None, on_error: None }
    }
}

/// The hooks of a chain by the hook point at which they run.
#[derive(Debug, Clone, PartialEq)]
pub struct Hooks(pub BTreeMap<HookPoint, Vec<Spanned<Shorthand<HookEntry>>>>);

impl Decode for Hooks {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let object = decoder.object(value, "an object")?;
        let mut hooks = BTreeMap::new();
        let mut all_read = true;
        for property in &object.properties {
            let key = key_of(property);
            let Some(point) = HookPoint::from_name(key) else {
                // A hook that never runs is a lost notification, so this is an error.
                unknown_point(key, span_of(&property.name), decoder);
                all_read = false;
                continue;
            };
            match decoder.at_key(key, |decoder| one_or_many(&property.value, decoder)) {
                Some(entries) => {
                    decoder.at_key(key, |decoder| warn_of_late_aborts(point, &entries, decoder));
                    hooks.insert(point, entries);
                }
                None => all_read = false,
            }
        }
        all_read.then_some(Self(hooks))
    }
}

fn unknown_point(key: &str, span: Span, decoder: &mut Decoder) {
    let message = format!("unknown hook type `{}`", decoder.path_to(key));
    let names = text::quoted(&HookPoint::names());
    let suggestion = text::did_you_mean(key, HookPoint::names());
    let error = decoder.error(span, message, "not a hook type");
    error.hints.extend(suggestion);
    error.hints.push(format!("the hook types are {}", text::join_with_and(&names)));
}

/// A hook at the end of a run has nothing left to stop.
fn warn_of_late_aborts(
    point: HookPoint,
    entries: &[Spanned<Shorthand<HookEntry>>],
    decoder: &mut Decoder,
) {
    if point.can_end_the_run() {
        return;
    }
    let settings = entries.iter().filter_map(|entry| entry.value.0.on_error.as_ref());
    for on_error in settings.filter(|on_error| on_error.value == OnHookError::Abort) {
        let path = decoder.path_to("onError");
        let message = format!("`{path}` has no effect: the run is over by then");
        let warning = decoder.warning(on_error.span, message, "nothing is left that could end");
        warning.hints.push("a hook that fails is reported in any case".to_owned());
    }
}

fn one_or_many(
    value: &Value<'_>,
    decoder: &mut Decoder,
) -> Option<Vec<Spanned<Shorthand<HookEntry>>>> {
    match value {
        Value::Array(_) => Vec::decode(value, decoder),
        _ => Spanned::decode(value, decoder).map(|hook| vec![hook]),
    }
}

impl JsonSchema for Hooks {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hooks".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<Shorthand<HookEntry>>();
        let one_or_many = json_schema!({ "anyOf": [one, { "type": "array", "items": one }] });
        let properties: serde_json::Map<String, serde_json::Value> = HookPoint::names()
            .into_iter()
            .map(|name| (name.to_owned(), one_or_many.clone().to_value()))
            .collect();
        json_schema!({
            "type": "object",
            "description": "Commands by the moment at which they run.",
            "additionalProperties": false,
            "properties": properties,
        })
    }
}
