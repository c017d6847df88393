//! Agents that replay a recording: the backend `replay` and its keys.

use jsonc_parser::ast::Value;
use serde_json::json;

use super::backend::Backend;
use super::capability::AgentSetting;
use crate::config::decode::decoder::{Decode, Decoder, ObjectKeys};
use crate::config::decode::record::inline_schema;
use crate::plan::ReplaySpeed;
use crate::text;

/// The word for the backend that replays a recording.
const REPLAY: &str = "replay";

/// The values of an agent's `backend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendChoice {
    /// A supported agent program, which gets a system prompt.
    Program(Backend),
    /// No agent is started; a recording is replayed.
    Replay,
}

impl BackendChoice {
    fn words() -> Vec<&'static str> {
        Backend::ALL.into_iter().map(Backend::word).chain([REPLAY]).collect()
    }
}

impl Decode for BackendChoice {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let words = Self::words();
        let word = decoder.string(value, &text::join_with_or(&text::quoted(&words)))?;
        if word == REPLAY {
            return Some(Self::Replay);
        }
        let known = Backend::ALL.into_iter().find(|backend| backend.word() == word);
        if known.is_none() {
            decoder.unknown_word(value, &word, &words);
        }
        known.map(Self::Program)
    }
}

impl Decode for ReplaySpeed {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let written = match value {
            Value::NumberLit(literal) => literal.value,
            Value::StringLit(literal) => literal.value.as_ref(),
            _ => {
                decoder.mismatch(value, "a number such as 10, or \"max\"");
                return None;
            }
        };
        Self::parse(written).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

inline_schema! {
    BackendChoice => { "type": "string", "enum": BackendChoice::words() },
    ReplaySpeed => {
        "anyOf": [
            { "type": "number", "minimum": 0.01, "maximum": 42_949_672.95 },
            { "type": "string", "pattern": "^(max|(?=.*[1-9])[0-9]{1,7}(\\.[0-9]{0,2})?x?)$" },
        ],
    },
}

/// The keys that only a replayed agent supports.
const REPLAY_KEYS: [&str; 2] = ["recording", "speed"];

/// The keys that only a started program supports.
fn program_only_keys() -> impl Iterator<Item = &'static str> {
    let settings = AgentSetting::ALL.into_iter().map(AgentSetting::key);
    ["systemPrompt", "systemPromptText", "command", "args", "env"].into_iter().chain(settings)
}

/// Whether an agent replays a recording.
pub(crate) fn is_chosen(keys: &ObjectKeys<'_, '_>) -> bool {
    keys.text("backend") == Some(REPLAY)
}

/// Reports errors in the entry of a replayed agent.
pub(crate) fn check(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let Some(chosen) = keys.span("backend") else { return };
    let path = decoder.here();
    if !keys.has("recording") {
        let message = format!("`{path}` has the backend `{REPLAY}` but no `recording`");
        let error = decoder.error(chosen, message, "nothing says what to play back");
        error.hints.push("add `recording`, a directory that `--record` has filled".to_owned());
    }
    for (key, span) in program_only_keys().filter_map(|key| Some((key, keys.span(key)?))) {
        let path = decoder.path_to(key);
        let message = format!("`{path}` cannot be honoured by the backend `{REPLAY}`");
        let error = decoder.error(span, message, "no agent program is started that could use it");
        *error = error.clone().related(chosen, "the backend is chosen here");
        error.hints.push(format!("remove `{key}`, or choose another backend"));
    }
}

/// Reports replay keys in the entry of any other agent.
pub(crate) fn refuse(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let path = decoder.here();
    for (key, span) in REPLAY_KEYS.into_iter().filter_map(|key| Some((key, keys.span(key)?))) {
        let message = format!("`{path}` has `{key}` but not the backend `{REPLAY}`");
        let error = decoder.error(span, message, "only a recording can honour this");
        error.hints.push(format!("add `\"backend\": \"{REPLAY}\"`, or remove `{key}`"));
    }
}

/// The schema's condition for this backend.
fn chosen_schema() -> serde_json::Value {
    json!({ "required": ["backend"], "properties": { "backend": { "const": REPLAY } } })
}

/// The part of the same rules that the schema can express, by replay key.
pub(crate) fn dependent_schemas() -> impl Iterator<Item = (String, serde_json::Value)> {
    REPLAY_KEYS.into_iter().map(|key| (key.to_owned(), chosen_schema()))
}

/// The schema of a replayed agent.
pub(crate) fn schema() -> serde_json::Value {
    let refused: serde_json::Map<String, serde_json::Value> =
        program_only_keys().map(|key| (key.to_owned(), json!(false))).collect();
    json!({ "if": chosen_schema(), "then": { "required": ["recording"], "properties": refused } })
}
