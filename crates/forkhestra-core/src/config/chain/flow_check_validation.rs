//! Errors about checks that decide about a flow: conditions, and the checks of groups. Such a check
//! does not belong to an iteration of an agent.

use jsonc_parser::ast::{Object, Value};

use crate::check::{CheckSpec, FORMS_WITHOUT_AGENT};
use crate::config::decode::decoder::{Decoder, ObjectKeys, span_of};
use crate::diagnostic::source::Span;

/// The settings of a check that concern the iterations of a step.
const KEYS_OF_ITERATIONS: [&str; 2] = ["when", "mustFailFirst"];

/// Refuses a condition that is about an agent, and settings that a condition does not have.
pub(crate) fn validate_condition(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let Some(value) = keys.value("if") else { return };
    decoder.at_key("if", |decoder| {
        let check = match value {
            Value::Object(object) => {
                refuse_keys_of_iterations(object, "a condition is checked once", decoder);
                ObjectKeys::of(object).value("check")
            }
            value => Some(value),
        };
        if let Some((span, spec)) = check.and_then(check_of)
            && spec.is_about_agent()
        {
            let message = format!("`{}` cannot be `{spec}`", decoder.here());
            let error = decoder.error(span, message, "no agent works before a condition");
            error.hints.push(format!("a condition is {FORMS_WITHOUT_AGENT}"));
        }
    });
}

/// Refuses settings that the checks of a group do not have.
pub(crate) fn validate_round_checks(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let Some(Value::Array(list)) = keys.value("checks") else { return };
    decoder.at_key("checks", |decoder| {
        for (index, value) in list.elements.iter().enumerate() {
            let Value::Object(object) = value else { continue };
            decoder.at_index(index, |decoder| {
                let label = "checks of a group run when its last entry has accepted";
                refuse_keys_of_iterations(object, label, decoder);
            });
        }
    });
}

fn refuse_keys_of_iterations(object: &Object<'_>, label: &str, decoder: &mut Decoder) {
    let keys = ObjectKeys::of(object);
    for (key, span) in KEYS_OF_ITERATIONS.iter().filter_map(|key| Some((key, keys.key_span(key)?)))
    {
        let message = format!("`{}` is for the checks of a step", decoder.path_to(key));
        let error = decoder.error(span, message, label);
        error.hints.push("leave it out".to_owned());
    }
}

fn check_of(value: &Value<'_>) -> Option<(Span, CheckSpec)> {
    let Value::StringLit(text) = value else { return None };
    Some((span_of(value), CheckSpec::parse(&text.value).ok()?))
}
