//! Which entries of tool lists an agent program enforces.

use serde_json::{Value, json};

use super::backend::Backend;
use super::backend_facts::ToolEntryProblem;
use super::capability::AgentSetting;
use crate::config::decode::decoder::{Decoder, ObjectKeys};

const TOOL_LISTS: [AgentSetting; 2] = [AgentSetting::AllowedTools, AgentSetting::DisallowedTools];

/// Reports every entry that the program would not enforce.
pub(crate) fn check(keys: &ObjectKeys<'_, '_>, backend: Backend, decoder: &mut Decoder) {
    for setting in TOOL_LISTS {
        let key = setting.key();
        for (index, entry, span) in keys.texts(key) {
            let Some(ToolEntryProblem { why, hint }) = problem(setting, backend, entry) else {
                continue;
            };
            let message = format!("`{}[{index}]`: {why}", decoder.path_to(key));
            let label = format!("not for {}", backend.title());
            decoder.error(span, message, label).hints.push(hint);
        }
    }
}

/// Why a program would not enforce an entry.
pub(crate) fn problem(
    setting: AgentSetting,
    backend: Backend,
    entry: &str,
) -> Option<ToolEntryProblem> {
    let limits = backend.facts().tool_limits?;
    let (name, rest) = entry.split_once('(').unwrap_or((entry, ""));
    if let Some((_, own)) = limits.names.iter().find(|(claude, _)| *claude == name) {
        let why = format!("`{name}` is a tool of {}", Backend::Claude.title());
        let hint = format!("{} calls it `{own}`", backend.title());
        return Some(ToolEntryProblem { why, hint });
    }
    (limits.problem)(setting, name, rest.strip_suffix(')'))
}

/// The part of the same rules that the schema can express.
pub(crate) fn schema_of(setting: AgentSetting, backend: Backend) -> Option<Value> {
    if !TOOL_LISTS.contains(&setting) {
        return None;
    }
    let limits = backend.facts().tool_limits?;
    let names: Vec<&str> = limits.names.iter().map(|(claude, _)| *claude).collect();
    let mut wrong = vec![json!({ "pattern": format!("^({})(\\(|$)", names.join("|")) })];
    wrong.extend((limits.schema)(setting));
    Some(json!({ "items": { "not": { "anyOf": wrong } } }))
}
