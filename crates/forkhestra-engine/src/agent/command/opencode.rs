//! opencode.

use std::fmt::Write as _;

use forkhestra_core::config::Permissions;
use serde_json::{Map, Value};

use super::invocation::{Invocation, InvocationRequest};
use super::invocation_error::InvocationError;
use super::opencode_tools;
use crate::agent::opencode::PLUGIN;

/// The variable that holds more configuration, over all files of it.
pub const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";

/// Files that are added to the program's own instructions.
const INSTRUCTIONS: &str = "instructions";

/// Programs that it loads, besides its user's own.
const PLUGINS: &str = "plugin";

/// The agents it knows.
const AGENTS: &str = "agent";

/// The name of the agent whose rules are ours.
const AGENT: &str = "forkhestra";

/// A session without a title costs another request.
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
    if let Some(rules) = opencode_tools::permission(asked.direct) {
        // Rules of one agent come after those for all, and in a file nobody has one of this name. Of
        // two agents that are asked for it must be this one.
        config.put_agent(AGENT, &format!(r#"{{"mode":"primary","permission":{rules}}}"#))?;
        built.option("--agent", AGENT);
    }
    built.set(CONFIG, config.text);
    Ok(built)
}

/// The configuration that somebody may have given already, to which something is added.
struct OpencodeConfig {
    known: Map<String, Value>,
    /// The order of rules matters, so what is given stays as it is.
    text: String,
}

impl OpencodeConfig {
    fn given(asked: &InvocationRequest<'_>) -> Result<Self, InvocationError> {
        let given = (asked.inherited)(CONFIG).unwrap_or_default();
        let text = given.to_str().ok_or_else(no_object)?.trim();
        let text = if text.is_empty() { "{}" } else { text };
        let known = serde_json::from_str(text).map_err(|_| no_object())?;
        Ok(Self { known, text: text.to_owned() })
    }

    /// Adds something to a list.
    fn add(&mut self, key: &str, value: String) -> Result<(), InvocationError> {
        let mut values = match self.known.get(key) {
            None => Vec::new(),
            Some(Value::Array(values)) => values.clone(),
            Some(_) => return Err(no_object()),
        };
        values.push(value.into());
        self.put(key, &Value::Array(values).to_string())
    }

    /// Adds an agent to those that are given.
    fn put_agent(&mut self, name: &str, agent: &str) -> Result<(), InvocationError> {
        let given = match raw(&self.text, AGENTS)? {
            Some(agents) => agents,
            None => "{}".to_owned(),
        };
        let agents = with(&given, name, agent).ok_or_else(no_object)?;
        self.put(AGENTS, &agents)
    }

    /// Gives a key a value. Of two values the last one counts.
    fn put(&mut self, key: &str, value: &str) -> Result<(), InvocationError> {
        self.text = with(&self.text, key, value).ok_or_else(no_object)?;
        Ok(())
    }
}

const fn no_object() -> InvocationError {
    InvocationError::NoObject { name: CONFIG }
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

/// A path as plugins are named.
fn file_url(path: &str) -> String {
    let mut url = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                url.push(char::from(byte));
            }
            // A text takes everything.
            _ => drop(write!(url, "%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_an_address() {
        assert_eq!(file_url("/tmp/a b/é.js"), "file:///tmp/a%20b/%C3%A9.js");
    }
}
