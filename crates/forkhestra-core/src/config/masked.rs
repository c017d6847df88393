//! Secrets in a config file: messages show whole lines of it, so what may be a secret is masked in
//! the text that messages are made of.

use jsonc_parser::ast::{Object, Value};

use super::decode::{key_of, span_of};

/// Replaces the value of every environment variable by as many stars as it has bytes, so that all
/// places in the text stay where they are.
pub(super) fn masked(text: &str, root: &Value<'_>) -> String {
    let mut masked = text.to_owned();
    for value in environments(root).flat_map(|env| &env.properties).map(|variable| &variable.value)
    {
        let span = span_of(value);
        if let Value::StringLit(_) = value {
            // The quotes stay, so that the line still looks like JSON.
            let inside = span.start + 1..span.end - 1;
            masked.replace_range(inside.clone(), &"*".repeat(inside.len()));
        }
    }
    masked
}

/// The `env` of every agent, one that is given twice included.
fn environments<'v, 'a>(root: &'v Value<'a>) -> impl Iterator<Item = &'v Object<'a>> {
    let agents = members(root, "agents").flat_map(|agents| &agents.properties);
    agents.flat_map(|agent| members(&agent.value, "env"))
}

fn members<'v, 'a>(
    value: &'v Value<'a>,
    key: &'static str,
) -> impl Iterator<Item = &'v Object<'a>> {
    let properties = value.as_object().into_iter().flat_map(|object| &object.properties);
    properties.filter(move |member| key_of(member) == key).filter_map(|m| m.value.as_object())
}
