//! The invocation of opencode.

use std::fmt::Write as _;

use forkhestra_core::config::{Backend, Permissions};
use serde_json::{Map, Value};

use super::retries::PLUGIN;
use super::tools;
use crate::agent::command::{Invocation, InvocationError, InvocationRequest};

/// The config key for files that are added to the instructions.
const INSTRUCTIONS: &str = "instructions";

/// The config key for plugins.
const PLUGINS: &str = "plugin";

/// The config key for agents.
const AGENTS: &str = "agent";

/// The name of the agent with our permissions.
const AGENT: &str = "forkhestra";

/// The title of the session: without one opencode makes an additional model request.
const TITLE: &str = "forkhestra";

pub(super) fn invocation(asked: &InvocationRequest<'_>) -> Result<Invocation, InvocationError> {
    let mut built = Invocation::begin(&["run", "--format", "json", "--title", TITLE]);
    if asked.direct.permissions == Permissions::Skip {
        built.arg("--auto");
    }
    if let Some(model) = &asked.direct.model {
        built.option("-m", model);
    }
    built.args.extend_from_slice(asked.args);
    // As an argument it would reach the model in quotes.
    built.stdin = Some(asked.instructions.prompt.clone());
    let mut config = OpencodeConfig::given(asked)?;
    let path = built.system_prompt_file(asked)?;
    config.add(INSTRUCTIONS, path)?;
    let path = built.file(asked, "retries.js", PLUGIN)?;
    config.add(PLUGINS, file_url(&path))?;
    if let Some(rules) = tools::permission(asked.direct) {
        // Permissions of an agent override the general ones, and config files have no agent of this
        // name. The last `--agent` option wins.
        config.put_agent(AGENT, &format!(r#"{{"mode":"primary","permission":{rules}}}"#))?;
        built.option("--agent", AGENT);
    }
    built.set(config_variable(), config.text);
    Ok(built)
}

/// The inherited configuration, to be extended.
struct OpencodeConfig {
    known: Map<String, Value>,
    /// The original text, since the order of permissions matters.
    text: String,
}

impl OpencodeConfig {
    fn given(asked: &InvocationRequest<'_>) -> Result<Self, InvocationError> {
        let given = (asked.inherited)(config_variable()).unwrap_or_default();
        let text = given.to_str().ok_or_else(no_object)?.trim();
        let text = if text.is_empty() { "{}" } else { text };
        let known = serde_json::from_str(text).map_err(|_| no_object())?;
        Ok(Self { known, text: text.to_owned() })
    }

    /// Appends a value to a list.
    fn add(&mut self, key: &str, value: String) -> Result<(), InvocationError> {
        let mut values = match self.known.get(key) {
            None => Vec::new(),
            Some(Value::Array(values)) => values.clone(),
            Some(_) => return Err(no_object()),
        };
        values.push(value.into());
        self.put(key, &Value::Array(values).to_string())
    }

    /// Adds an agent to the given ones.
    fn put_agent(&mut self, name: &str, agent: &str) -> Result<(), InvocationError> {
        let given = match raw(&self.text, AGENTS)? {
            Some(agents) => agents,
            None => "{}".to_owned(),
        };
        let agents = with(&given, name, agent).ok_or_else(no_object)?;
        self.put(AGENTS, &agents)
    }

    /// Sets a key. Of duplicate keys the last one counts.
    fn put(&mut self, key: &str, value: &str) -> Result<(), InvocationError> {
        self.text = with(&self.text, key, value).ok_or_else(no_object)?;
        Ok(())
    }
}

/// The variable with additional configuration, which overrides all config files.
fn config_variable() -> &'static str {
    Backend::Opencode.facts().config_variable.expect("the facts of opencode name the variable")
}

fn no_object() -> InvocationError {
    InvocationError::NoObject { name: config_variable() }
}

/// The text of an object with one more key.
fn with(object: &str, key: &str, value: &str) -> Option<String> {
    let theirs = object.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let comma = if theirs.is_empty() { "" } else { "," };
    Some(format!("{{{theirs}{comma}{}:{value}}}", Value::from(key)))
}

/// The text of a key's value.
fn raw(object: &str, key: &str) -> Result<Option<String>, InvocationError> {
    let values: std::collections::HashMap<String, &serde_json::value::RawValue> =
        serde_json::from_str(object).map_err(|_| no_object())?;
    Ok(values.get(key).map(|value| value.get().to_owned()))
}

/// A path as a URL, as plugins require.
fn file_url(path: &str) -> String {
    let mut url = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                url.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => drop(write!(url, "%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_file_url() {
        assert_eq!(file_url("/tmp/a b/é.js"), "file:///tmp/a%20b/%C3%A9.js");
    }
}
