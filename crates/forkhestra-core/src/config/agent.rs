//! An agent as the config file defines it.

use std::fmt;

use jsonc_parser::ast::Value;
use schemars::{Schema, json_schema};
use serde_json::json;

use super::backend::{Backend, Billing, Permissions};
use super::capability::{self, Setting};
use super::decode::{Decode, Decoder, Keys, key_of, span_of};
use super::model::{Model, check_model};
use super::record::{inline_schema, record};
use super::replay::{self, BackendChoice};
use super::table::Table;
use super::tool::Tool;
use super::values::{FileName, Name};
use crate::count::Count;
use crate::plan::{Fault, Speed};
use crate::source::Spanned;

record! {
    /// An agent. With a system prompt it is spawned directly; otherwise it is a program, called
    /// like the agent unless `command` says otherwise. An entry that holds only default prompts is
    /// attached to whatever the name means otherwise.
    pub struct AgentEntry is "an agent", validated by validate, constrained by constraints {
        /// The prompt for steps that get no other.
        "defaultPrompt" => default_prompt: Option<Spanned<String>>,
        /// A file with the prompt for steps that get no other.
        "defaultPromptFile" => default_prompt_file: Option<Spanned<FileName>>,
        /// A file with the system prompt; makes this an agent that is spawned directly.
        "systemPrompt" => system_prompt: Option<Spanned<FileName>>,
        /// The system prompt itself; takes priority over `systemPrompt`.
        "systemPromptText" => system_prompt_text: Option<Spanned<String>>,
        /// The agent program that the system prompt is for; `claude` by default. With `replay` a
        /// recording is played back, and nothing is started.
        "backend" => backend: Option<Spanned<BackendChoice>>,
        /// The recording that the backend `replay` plays back: a directory.
        "recording" => recording: Option<Spanned<FileName>>,
        /// How fast the recording is played: `1` is as it was recorded (the default), `"max"` is
        /// without any wait.
        "speed" => speed: Option<Spanned<Speed>>,
        /// What goes wrong on purpose while the recording is played, each `[ITERATION:]` and
        /// `limit@LINE`, `truncate@LINE`, `crash@LINE` or `hang`.
        "faults" => faults: Option<Spanned<Vec<Spanned<Fault>>>>,
        /// A file that configures MCP servers, used as it is, without merging.
        "mcpConfig" => mcp_config: Option<Spanned<FileName>>,
        /// A settings file, used as it is, without merging.
        "settings" => settings: Option<Spanned<FileName>>,
        /// The model. For `claude`: `sonnet`, `opus`, `haiku` or a full id.
        "model" => model: Option<Spanned<Model>>,
        /// The most turns an iteration may take.
        "maxTurns" => max_turns: Option<Spanned<Count>>,
        /// The only tools the agent may use, each a name or a name with a pattern, as in
        /// `Bash(git *)`; none at all if the list is empty.
        "allowedTools" => allowed_tools: Option<Spanned<Vec<Spanned<Tool>>>>,
        /// Tools the agent may not use, each a name or a name with a pattern.
        "disallowedTools" => disallowed_tools: Option<Spanned<Vec<Spanned<Tool>>>>,
        /// Whether the agent uses its tools without asking (`skip`, the default) or as its own
        /// settings say (`default`); nobody is there to answer.
        "permissions" => permissions: Option<Spanned<Permissions>>,
        /// Who may pay: `any` (the default), only a `subscription`, or only an `api-key`.
        "billing" => billing: Option<Spanned<Billing>>,
        /// The program to start, by name or path; the agent's own name by default.
        "command" => command: Option<Spanned<Name>>,
        /// Arguments that come before those of a step.
        "args" => args: Option<Spanned<Vec<Spanned<String>>>>,
        /// Environment variables for the agent.
        "env" => env: Option<Spanned<Environment>>,
    }
}

impl AgentEntry {
    /// Whether the entry says what the agent is, rather than only what to ask of it.
    pub fn defines_agent(&self) -> bool {
        let is_program = self.command.is_some() || self.args.is_some() || self.env.is_some();
        is_program || self.is_direct_spawn() || self.recording.is_some()
    }

    /// The recording that stands for the agent, if one does.
    pub fn replayed(&self) -> Option<&Spanned<FileName>> {
        let is_chosen = self.backend.as_ref().map(|chosen| chosen.value);
        self.recording.as_ref().filter(|_| is_chosen == Some(BackendChoice::Replay))
    }

    /// The agent program that the system prompt is for.
    pub fn program(&self) -> Backend {
        match self.backend.as_ref().map(|chosen| chosen.value) {
            Some(BackendChoice::Program(backend)) => backend,
            Some(BackendChoice::Replay) | None => Backend::default(),
        }
    }

    /// Whether a system prompt, even an empty one, makes this an agent that is spawned directly.
    pub fn is_direct_spawn(&self) -> bool {
        self.system_prompt.is_some() || self.system_prompt_text.is_some()
    }
}

/// The keys that only an agent that is spawned directly can honour.
fn direct_spawn_keys() -> impl Iterator<Item = &'static str> {
    std::iter::once("backend").chain(Setting::ALL.into_iter().map(Setting::key))
}

/// An agent is one thing or the other: what does not fit its kind would be ignored in a run.
fn validate(keys: &Keys<'_, '_>, decoder: &mut Decoder) {
    if replay::is_chosen(keys) {
        replay::check(keys, decoder);
        return;
    }
    replay::refuse(keys, decoder);
    let backend = capability::backend_of(keys);
    check_model(keys, backend, decoder);
    if !keys.has("systemPrompt") && !keys.has("systemPromptText") {
        refuse_what_no_program_honours(keys, decoder);
        return;
    }
    if let Some(span) = keys.span("command") {
        let message = format!("`{}` has both a system prompt and a `command`", decoder.here());
        let error = decoder.error(span, message, "a program takes no system prompt");
        error.hints.push("remove one of the two".to_owned());
    }
    if let Some(backend) = backend {
        capability::check_settings(keys, backend, decoder);
    }
}

fn refuse_what_no_program_honours(keys: &Keys<'_, '_>, decoder: &mut Decoder) {
    let path = decoder.here();
    for (key, span) in direct_spawn_keys().filter_map(|key| Some((key, keys.span(key)?))) {
        let message = format!("`{path}` has `{key}` but no system prompt");
        let label = "only an agent that is spawned directly can honour this";
        let error = decoder.error(span, message, label);
        error.hints.push("add `systemPrompt` or `systemPromptText` (it may be empty)".to_owned());
    }
}

/// The same for the schema.
fn constraints() -> Schema {
    let has_system_prompt = json!({ "anyOf": [{ "required": ["systemPrompt"] }, { "required": ["systemPromptText"] }] });
    let mut dependent: serde_json::Map<String, serde_json::Value> =
        direct_spawn_keys().map(|key| (key.to_owned(), has_system_prompt.clone())).collect();
    dependent.insert("backend".to_owned(), replay::or_replay(&has_system_prompt));
    dependent.insert("command".to_owned(), json!({ "not": has_system_prompt }));
    dependent.extend(replay::dependent_schemas());
    let of_backends = Backend::ALL.into_iter().map(capability::schema_of);
    let rules: Vec<_> = of_backends.chain([replay::schema()]).collect();
    json_schema!({ "dependentSchemas": dependent, "allOf": rules })
}

inline_schema! {
    Environment => {
        "type": "object",
        "propertyNames": { "pattern": "^[^=]+$" },
        "additionalProperties": { "type": "string" },
    },
}

/// Environment variables by name. Their values may be secrets, so they are never shown.
#[derive(Clone, PartialEq)]
pub struct Environment(pub Table<String>);

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.names()).finish()
    }
}

impl Decode for Environment {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let names = value.as_object().into_iter().flat_map(|object| &object.properties);
        for property in names.filter(|property| key_of(property).contains('=')) {
            let message =
                format!("`{}` is not a variable's name", decoder.path_to(key_of(property)));
            decoder.error(span_of(&property.name), message, "a name cannot contain `=`");
        }
        Table::decode(value, decoder).map(Self)
    }
}
