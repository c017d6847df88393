//! Warnings about alternatives that repeat what they replace.

use std::collections::BTreeMap;

use jsonc_parser::ast::{Object, Value};

use crate::config::decode::decoder::{Decoder, ObjectKeys, key_of, span_of};

/// Warns about the first alternative of an entry that is the same entry again. A person who denied
/// may answer the same question in another way.
pub(crate) fn warn_of_repeated(entry: &Object<'_>, decoder: &mut Decoder) {
    if ObjectKeys::of(entry).has("ask") {
        return;
    }
    let mut alternatives = std::iter::successors(alternative(entry), |other| alternative(other));
    let Some(same) = alternatives.find(|other| is_same_entry(entry, other)) else { return };
    let message = format!("an alternative of `{}` repeats it", decoder.here());
    let warning = decoder.warning(span_of(same), message, "runs after the same has failed");
    *warning = warning.clone().related(span_of(entry), "the same");
}

/// The only entry of the alternative, if there is one.
fn alternative<'v, 'a>(entry: &'v Object<'a>) -> Option<&'v Object<'a>> {
    let property = entry.properties.iter().find(|property| key_of(property) == "else")?;
    match &property.value {
        Value::Array(list) if list.elements.len() == 1 => list.elements[0].as_object(),
        value => value.as_object(),
    }
}

/// Whether two entries are the same but for their alternatives.
fn is_same_entry(one: &Object<'_>, other: &Object<'_>) -> bool {
    let [mut one, mut other] = [members(one), members(other)];
    one.remove("else");
    other.remove("else");
    are_same_members(&one, &other)
}

fn members<'v, 'a>(object: &'v Object<'a>) -> BTreeMap<&'v str, &'v Value<'a>> {
    object.properties.iter().map(|property| (key_of(property), &property.value)).collect()
}

fn are_same_members(one: &BTreeMap<&str, &Value<'_>>, other: &BTreeMap<&str, &Value<'_>>) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len()
        && pairs.all(|((key, one), (other_key, other))| key == other_key && is_same(one, other))
}

fn is_same(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::StringLit(one), Value::StringLit(other)) => one.value == other.value,
        (Value::NumberLit(one), Value::NumberLit(other)) => one.value == other.value,
        (Value::BooleanLit(one), Value::BooleanLit(other)) => one.value == other.value,
        (Value::NullKeyword(_), Value::NullKeyword(_)) => true,
        (Value::Array(one), Value::Array(other)) => {
            let mut pairs = one.elements.iter().zip(&other.elements);
            one.elements.len() == other.elements.len()
                && pairs.all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            are_same_members(&members(one), &members(other))
        }
        _ => false,
    }
}
