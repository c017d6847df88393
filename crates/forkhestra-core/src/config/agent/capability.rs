//! The settings of an agent, and which ones each agent program supports.

use serde_json::{Value, json};

use super::backend::{Backend, Billing};
use super::model_name;
use super::tool_support;
use crate::config::decode::decoder::{Decoder, ObjectKeys};

/// A setting of an agent that is spawned directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentSetting {
    Model,
    MaxTurns,
    AllowedTools,
    DisallowedTools,
    McpConfig,
    Settings,
    Permissions,
    Billing,
}

/// How a setting is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingSupport {
    /// The agent program enforces it.
    Program,
    /// The agent program cannot enforce it, so forkhestra does.
    Ourselves,
    /// It is refused; with a hint what to do instead.
    Refused(&'static str),
}

use AgentSetting::{
    AllowedTools, Billing as Payer, DisallowedTools, MaxTurns, McpConfig, Model, Permissions,
    Settings,
};

/// The hint for users who want to choose the payment method.
pub(super) const KEEP_CREDENTIALS_AWAY: &str = "leave `billing` out, and keep credentials that must not be used out of the environment: only \
     Claude Code says which ones it uses";

impl AgentSetting {
    /// All settings.
    pub const ALL: [Self; 8] =
        [Model, MaxTurns, AllowedTools, DisallowedTools, McpConfig, Settings, Permissions, Payer];

    /// The key in the config file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::MaxTurns => "maxTurns",
            Self::AllowedTools => "allowedTools",
            Self::DisallowedTools => "disallowedTools",
            Self::McpConfig => "mcpConfig",
            Self::Settings => "settings",
            Self::Permissions => "permissions",
            Self::Billing => "billing",
        }
    }

    /// How the setting is enforced for an agent program.
    pub fn support(self, backend: Backend) -> SettingSupport {
        (backend.facts().support)(self)
    }

    /// The value that every program can honour because it restricts nothing, if there is one.
    pub(crate) fn neutral_value(self) -> Option<&'static str> {
        (self == Payer).then(|| Billing::default().word())
    }
}

/// The agent program of an entry; none if the word is unknown.
pub(crate) fn backend_of(keys: &ObjectKeys<'_, '_>) -> Option<Backend> {
    if !keys.has("backend") {
        return Some(Backend::default());
    }
    let word = keys.text("backend")?;
    Backend::ALL.into_iter().find(|backend| backend.word() == word)
}

/// Reports every setting that the program cannot honour: ignoring it could allow what the user
/// forbids.
pub(crate) fn check_settings(keys: &ObjectKeys<'_, '_>, backend: Backend, decoder: &mut Decoder) {
    for setting in AgentSetting::ALL {
        let key = setting.key();
        let SettingSupport::Refused(instead) = setting.support(backend) else { continue };
        let Some(span) = keys.span(key) else { continue };
        if setting.neutral_value().is_some_and(|harmless| keys.text(key) == Some(harmless)) {
            continue;
        }
        let (path, word) = (decoder.path_to(key), backend.word());
        let message = format!("`{path}` cannot be honoured by the backend `{word}`");
        let error = decoder.error(span, message, format!("not for {}", backend.title()));
        if let Some(chosen) = keys.span("backend") {
            *error = error.clone().related(chosen, "the backend is chosen here");
        }
        error.hints.push(instead.to_owned());
    }
    tool_support::check(keys, backend, decoder);
}

/// The part of the same rules that the schema can express.
pub(crate) fn schema_of(backend: Backend, has_system_prompt: &Value) -> Value {
    let mut properties = serde_json::Map::new();
    properties.extend(model_name::schema_of(backend).map(|rule| (Model.key().to_owned(), rule)));
    for setting in AgentSetting::ALL {
        if let SettingSupport::Refused(_) = setting.support(backend) {
            let rule =
                setting.neutral_value().map_or(json!(false), |word| json!({ "const": word }));
            properties.insert(setting.key().to_owned(), rule);
        }
        if let Some(rule) = tool_support::schema_of(setting, backend) {
            properties.insert(setting.key().to_owned(), rule);
        }
    }
    // The default applies without the key.
    let required: &[&str] = if backend == Backend::default() { &[] } else { &["backend"] };
    let is_for =
        json!({ "properties": { "backend": { "const": backend.word() } }, "required": required });
    json!({
        "if": { "allOf": [has_system_prompt, is_for] },
        "then": { "properties": properties },
    })
}
