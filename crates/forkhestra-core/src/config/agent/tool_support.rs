//! Which entries of tool lists an agent program enforces.

use serde_json::{Value, json};

use super::backend::Backend;
use super::capability::AgentSetting;
use crate::config::decode::decoder::{Decoder, ObjectKeys};

/// Tools of Claude Code with their names in Gemini CLI and opencode. Those programs ignore unknown
/// names, so a forbidden tool would stay usable.
const CLAUDE: [(&str, &str, &str); 13] = [
    ("Agent", "invoke_agent", "task"),
    ("Bash", "run_shell_command", "bash"),
    ("Edit", "replace", "edit"),
    ("Glob", "glob", "glob"),
    ("Grep", "grep_search", "grep"),
    ("LS", "list_directory", "list"),
    ("MultiEdit", "replace", "edit"),
    ("Read", "read_file", "read"),
    ("Task", "invoke_agent", "task"),
    ("TodoWrite", "write_todos", "todowrite"),
    ("WebFetch", "web_fetch", "webfetch"),
    ("WebSearch", "google_web_search", "websearch"),
    ("Write", "write_file", "write"),
];

/// Reports every entry that the program would not enforce.
pub(crate) fn check(keys: &ObjectKeys<'_, '_>, backend: Backend, decoder: &mut Decoder) {
    for setting in [AgentSetting::AllowedTools, AgentSetting::DisallowedTools] {
        let key = setting.key();
        for (index, entry, span) in keys.texts(key) {
            let Some((why, hint)) = problem(setting, backend, entry) else { continue };
            let message = format!("`{}[{index}]`: {why}", decoder.path_to(key));
            let label = format!("not for {}", backend.title());
            decoder.error(span, message, label).hints.push(hint);
        }
    }
}

/// Why a program would not enforce an entry, and what to do instead.
pub(crate) fn problem(
    setting: AgentSetting,
    backend: Backend,
    entry: &str,
) -> Option<(String, String)> {
    let (name, rest) = entry.split_once('(').unwrap_or((entry, ""));
    let pattern = rest.strip_suffix(')');
    let known = CLAUDE.into_iter().find(|(claude, _, _)| *claude == name);
    let elsewhere = |own: &str| {
        let why = format!("`{name}` is a tool of Claude Code");
        Some((why, format!("{} calls it `{own}`", backend.title())))
    };
    match (backend, known) {
        (Backend::Claude | Backend::Codex, _) => None,
        (Backend::Gemini, Some((_, own, _))) | (Backend::Opencode, Some((_, _, own))) => {
            elsewhere(own)
        }
        (Backend::Gemini, None) => of_gemini(name, pattern?),
        (Backend::Opencode, None) if setting == AgentSetting::AllowedTools => {
            of_opencode(name, pattern)
        }
        (Backend::Opencode, None) => None,
    }
}

/// The shell of Gemini CLI matches prefixes of commands and ignores other patterns.
fn of_gemini(name: &str, pattern: &str) -> Option<(String, String)> {
    if name != "run_shell_command" {
        let why = format!("`{name}` has no patterns in Gemini CLI");
        return Some((why, "only `run_shell_command` has; leave the parentheses out".to_owned()));
    }
    let words = pattern.trim_end_matches(['*', ':', ' ']);
    (words != pattern || pattern.contains('*')).then(|| {
        let why = format!("`{pattern}` is not how a command begins");
        let instead = if words.is_empty() || words.contains('*') { "git log" } else { words };
        (why, format!("write the words it begins with, as in `{name}({instead})`"))
    })
}

/// In opencode, redirections without a command bypass the rules, and subagents have rules of their
/// own.
fn of_opencode(name: &str, pattern: Option<&str>) -> Option<(String, String)> {
    let may_be_shell = name == "bash" || name.contains(['*', '?']);
    if name == "task" {
        let why = "opencode's subagents do not keep to this list".to_owned();
        return Some((why, "leave it out: an agent with a list of tools has none".to_owned()));
    }
    (may_be_shell && pattern.is_some()).then(|| {
        let why = format!("opencode does not keep `{name}` to a pattern");
        (why, "allow all of it, or leave it out".to_owned())
    })
}

/// The part of the same rules that the schema can express.
pub(crate) fn schema_of(setting: AgentSetting, backend: Backend) -> Option<Value> {
    let names = CLAUDE.map(|(claude, _, _)| claude).join("|");
    let mut wrong = vec![json!({ "pattern": format!("^({names})(\\(|$)") })];
    match (setting, backend) {
        (AgentSetting::AllowedTools | AgentSetting::DisallowedTools, Backend::Gemini) => wrong
            .extend([
                json!({ "pattern": "\\(", "not": { "pattern": "^run_shell_command\\(" } }),
                json!({ "pattern": "\\(.*\\*|[: ]\\)$" }),
            ]),
        (AgentSetting::AllowedTools, Backend::Opencode) => {
            wrong.push(json!({ "pattern": "^task(\\(|$)|^(bash|[^(]*[*?][^(]*)\\(" }));
        }
        (AgentSetting::DisallowedTools, Backend::Opencode) => {}
        _ => return None,
    }
    Some(json!({ "items": { "not": { "anyOf": wrong } } }))
}
