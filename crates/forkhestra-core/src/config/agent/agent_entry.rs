//! The config entry of an agent.

use std::fmt;

use jsonc_parser::ast::Value;
use schemars::{Schema, json_schema};
use serde_json::json;

use super::backend::{Backend, Billing, Permissions};
use super::capability::{self, AgentSetting};
use super::model_name::{ModelName, check_model};
use super::replay::{self, BackendChoice};
use super::tool_spec::ToolSpec;
use crate::config::decode::decoder::{Decode, Decoder, ObjectKeys, key_of, span_of};
use crate::config::decode::named_entries::NamedEntries;
use crate::config::decode::record::{inline_schema, record};
use crate::config::decode::values::{EntryName, FileName};
use crate::config::sandbox::SandboxEntry;
use crate::diagnostic::source::{Span, Spanned};
use crate::plan::ReplaySpeed;
use crate::text::count::Count;

record! {
    /// An agent. With a system prompt it is spawned directly; with a `command` it is a program. An
    /// entry with neither adjusts whatever the name means otherwise: an agent of a farther config
    /// file, a program or a built-in agent.
    pub struct AgentEntry is "an agent", validated by validate, constrained by constraints {
        /// The prompt for steps that get no other.
        "defaultPrompt" => default_prompt: Option<Spanned<String>>,
        /// A file with the prompt for steps that get no other.
        "defaultPromptFile" => default_prompt_file: Option<Spanned<FileName>>,
        /// A file with the system prompt; makes this an agent that is spawned directly.
        "systemPrompt" => system_prompt: Option<Spanned<FileName>>,
        /// The system prompt itself; takes priority over `systemPrompt`.
        "systemPromptText" => system_prompt_text: Option<Spanned<String>>,
        /// The agent program that is started; `claude` by default. With `replay` a recording is
        /// played back, and nothing is started.
        "backend" => backend: Option<Spanned<BackendChoice>>,
        /// The recording that the backend `replay` plays back: a directory.
        "recording" => recording: Option<Spanned<FileName>>,
        /// How fast the recording is played: `1` is as it was recorded (the default), `"max"` is
        /// without any wait.
        "speed" => speed: Option<Spanned<ReplaySpeed>>,
        /// A file that configures MCP servers, used as it is, without merging.
        "mcpConfig" => mcp_config: Option<Spanned<FileName>>,
        /// A settings file, used as it is, without merging.
        "settings" => settings: Option<Spanned<FileName>>,
        /// The model. For `claude`: `sonnet`, `opus`, `haiku` or a full id.
        "model" => model: Option<Spanned<ModelName>>,
        /// The most turns an iteration may take.
        "maxTurns" => max_turns: Option<Spanned<Count>>,
        /// The only tools the agent may use, each a name or a name with a pattern, as in
        /// `Bash(git *)`. An empty list is no restriction.
        "allowedTools" => allowed_tools: Option<Spanned<Vec<Spanned<ToolSpec>>>>,
        /// Tools the agent may not use, each a name or a name with a pattern.
        "disallowedTools" => disallowed_tools: Option<Spanned<Vec<Spanned<ToolSpec>>>>,
        /// Whether the agent uses its tools without asking (`skip`, the default) or according to
        /// its own settings (`default`); prompts are never answered in an unattended run.
        "permissions" => permissions: Option<Spanned<Permissions>>,
        /// Who may pay: `any` (the default), only a `subscription`, or only an `api-key`.
        "billing" => billing: Option<Spanned<Billing>>,
        /// The program to start, by name or path; the agent's own name by default.
        "command" => command: Option<Spanned<EntryName>>,
        /// Arguments that come before those of a step.
        "args" => args: Option<Spanned<Vec<Spanned<String>>>>,
        /// The sandbox of this agent.
        "sandbox" => sandbox: Option<Spanned<SandboxEntry>>,
        /// Environment variables for the agent.
        "env" => env: Option<Spanned<EnvEntries>>,
    }
}

impl AgentEntry {
    /// Whether the entry defines the agent, rather than adjusts it.
    pub fn defines_agent(&self) -> bool {
        self.command.is_some() || self.is_direct_spawn() || self.recording.is_some()
    }

    /// Whether an entry that defines no agent changes more than the default prompt.
    pub fn adjusts_agent(&self) -> bool {
        let has_setting =
            AgentSetting::ALL.into_iter().any(|setting| self.span_of(setting).is_some());
        let has_more = self.backend.is_some()
            || self.args.is_some()
            || self.env.is_some()
            || self.sandbox.is_some();
        !self.defines_agent() && (has_setting || has_more)
    }

    /// The position of a setting's value, if the entry has one.
    pub fn span_of(&self, setting: AgentSetting) -> Option<Span> {
        match setting {
            AgentSetting::Model => self.model.as_ref().map(|value| value.span),
            AgentSetting::MaxTurns => self.max_turns.as_ref().map(|value| value.span),
            AgentSetting::AllowedTools => self.allowed_tools.as_ref().map(|value| value.span),
            AgentSetting::DisallowedTools => self.disallowed_tools.as_ref().map(|value| value.span),
            AgentSetting::McpConfig => self.mcp_config.as_ref().map(|value| value.span),
            AgentSetting::Settings => self.settings.as_ref().map(|value| value.span),
            AgentSetting::Permissions => self.permissions.as_ref().map(|value| value.span),
            AgentSetting::Billing => self.billing.as_ref().map(|value| value.span),
        }
    }

    /// The agent program that the entry names, if it names one.
    pub fn named_backend(&self) -> Option<Spanned<Backend>> {
        let named = self.backend.as_ref()?;
        match named.value {
            BackendChoice::Program(backend) => Some(Spanned::new(backend, named.span)),
            BackendChoice::Replay => None,
        }
    }

    /// The recording that replaces the agent, if there is one.
    pub fn replayed(&self) -> Option<&Spanned<FileName>> {
        let is_chosen = self.backend.as_ref().map(|chosen| chosen.value);
        self.recording.as_ref().filter(|_| is_chosen == Some(BackendChoice::Replay))
    }

    /// The agent program that the system prompt is for.
    pub fn program(&self) -> Backend {
        self.named_backend().map_or_else(Backend::default, |named| named.value)
    }

    /// Whether a system prompt, even an empty one, makes this an agent that is spawned directly.
    pub fn is_direct_spawn(&self) -> bool {
        self.system_prompt.is_some() || self.system_prompt_text.is_some()
    }
}

/// Refuses keys that do not fit the agent's kind, since a run would ignore them. An entry without a
/// prompt is checked when the agent is used, since its kind is known only then.
fn validate(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    if replay::is_chosen(keys) {
        replay::check(keys, decoder);
        return;
    }
    replay::refuse(keys, decoder);
    warn_of_an_empty_whitelist(keys, decoder);
    if !keys.has("systemPrompt") && !keys.has("systemPromptText") {
        check_model(keys, None, decoder);
        return;
    }
    let backend = capability::backend_of(keys);
    check_model(keys, backend, decoder);
    if let Some(span) = keys.span("command") {
        let message = format!("`{}` has both a system prompt and a `command`", decoder.here());
        let error = decoder.error(span, message, "a program takes no system prompt");
        error.hints.push("remove one of the two".to_owned());
    }
    if let Some(backend) = backend {
        capability::check_settings(keys, backend, decoder);
    }
}

fn warn_of_an_empty_whitelist(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let key = AgentSetting::AllowedTools.key();
    let Some(span) = keys.span(key).filter(|_| keys.is_empty_list(key)) else { return };
    let message = format!("`{}` is empty, which restricts nothing", decoder.path_to(key));
    let warning = decoder.warning(span, message, "the agent may use every tool");
    warning.hints.push(format!("name the tools that it may use, or remove `{key}`"));
}

/// The same rules for the schema.
fn constraints() -> Schema {
    let has_system_prompt = json!({ "anyOf": [{ "required": ["systemPrompt"] }, { "required": ["systemPromptText"] }] });
    let mut dependent = serde_json::Map::new();
    dependent.insert("command".to_owned(), json!({ "not": has_system_prompt }));
    dependent.extend(replay::dependent_schemas());
    let of_backends =
        Backend::ALL.into_iter().map(|backend| capability::schema_of(backend, &has_system_prompt));
    // An empty list is allowed, but the schema flags it, since it restricts nothing.
    let whitelist = json!({ "properties": { "allowedTools": { "minItems": 1 } } });
    let rules: Vec<_> = of_backends.chain([replay::schema(), whitelist]).collect();
    json_schema!({ "dependentSchemas": dependent, "allOf": rules })
}

inline_schema! {
    EnvEntries => {
        "type": "object",
        "propertyNames": { "pattern": "^[^=]+$" },
        "additionalProperties": { "type": "string" },
    },
}

/// Environment variables by name. Their values may be secrets, so they are never shown.
#[derive(Clone, PartialEq)]
pub struct EnvEntries(pub NamedEntries<String>);

impl fmt::Debug for EnvEntries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.names()).finish()
    }
}

impl Decode for EnvEntries {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let names = value.as_object().into_iter().flat_map(|object| &object.properties);
        for property in names.filter(|property| key_of(property).contains('=')) {
            let message =
                format!("`{}` is not a variable's name", decoder.path_to(key_of(property)));
            decoder.error(span_of(&property.name), message, "a name cannot contain `=`");
        }
        NamedEntries::decode(value, decoder).map(Self)
    }
}
