//! The config file: JSON with comments, decoded into typed values with their positions.
//!
//! Decoding does not stop at the first error: all errors are reported at once, each with its
//! position. One definition of a key (see `record`) gives its type, its decoder and its part of the
//! JSON Schema.

pub(crate) mod agent;
mod chain;
mod checks;
mod clean_room;
mod config_layers;
pub(crate) mod decode;
mod hooks;
mod limits;
mod markers;
mod notify;
mod prices;
mod quota;
mod sandbox;

#[cfg(test)]
mod tests;

pub use agent::agent_entry::{AgentEntry, EnvEntries};
pub use agent::backend::{Backend, Billing, Permissions};
pub use agent::backend_facts::{
    AgentDirectory, BackendFacts, CostReport, LoginFacts, OtherLogin, PrintArguments, RootRefusal,
    SettingsFile, ToolPattern,
};
pub use agent::capability::{AgentSetting, SettingSupport};
pub use agent::fallback_choice::FallbackChoice;
pub use agent::model_name::{
    ModelMismatch, ModelName, model_mismatch as model_misfit, program_of_model,
};
pub use agent::replay::BackendChoice;
pub use agent::setting_problem::SettingProblem;
pub use agent::tool_spec::ToolSpec;
pub use chain::alternative_entries::AlternativeEntries;
pub use chain::chain_entry::ChainEntry;
pub use chain::chain_steps::{ChainStep, ChainSteps};
pub use chain::completion_rule::CompletionRule;
pub use chain::group_entry::GroupEntry;
pub use chain::lanes::lane_entry::LaneEntry;
pub use chain::lanes::parallel_entry::ParallelEntry;
pub use chain::lanes::pick_choice::PickChoice;
pub use chain::on_cycle::OnCycle;
pub use chain::on_protected_change::OnProtectedChange;
pub use chain::question_entry::{OnQuestionTimeout, QuestionEntry};
pub use chain::stage_entries::StageEntries;
pub use chain::stage_entry::StageEntry;
pub(crate) use chain::stage_entry::entry_hint;
pub use chain::step_entry::StepEntry;
pub use checks::{CheckEntry, CheckWhen};
pub use clean_room::{CleanRoomEntry, RoomEntry};
pub use config_layers::{AgentEntries, ConfigEntry, ConfigLayer, ConfigLayerKind, ConfigLayers};
pub use decode::named_entries::NamedEntries;
pub use decode::parsed_config::{ParsedConfig, read};
pub use decode::relative_path::{PathGlob, PathGlobError, RelativePath, RelativePathError};
pub use decode::shorthand::Shorthand;
pub use decode::values::{CommandText, EntryName, FileName};
pub use hooks::{HookEntry, Hooks, OnHookError};
pub use limits::Limits;
pub use markers::Markers;
pub use notify::{
    NotifyEntries, NotifyEntry, NotifyTarget, NotifyTrigger, NotifyTriggers, ServiceUrl,
    ServiceUrlError, VariableName,
};
pub use prices::PriceEntry;
pub use quota::QuotaEntry;
pub use sandbox::{SandboxChoice, SandboxEntry, SandboxSettings};

use crate::diagnostic::source::Spanned;
use decode::record::record;

record! {
    /// Agents and chains for forkhestra.
    pub struct Config is "the config file" {
        /// The JSON Schema of this file, for editors.
        "$schema" => schema: Option<Spanned<String>>,
        /// Agents by name.
        "agents" => agents: Option<Spanned<NamedEntries<AgentEntry>>>,
        /// The agent program that built-in agents are for; `claude` by default. Agents of the
        /// config name theirs themselves.
        "backend" => backend: Option<Spanned<Backend>>,
        /// Chains by name.
        "chains" => chains: Option<Spanned<NamedEntries<ChainEntry>>>,
        /// Notifications when a run ends, hits a limit or needs attention.
        "notify" => notify: Option<Spanned<NotifyEntries>>,
        /// Prices of models by name, in US dollars per million tokens; they override the shipped
        /// ones.
        "prices" => prices: Option<Spanned<NamedEntries<PriceEntry>>>,
        /// The sandbox of all agents and checks. A project's config can only request a stricter
        /// level than the user.
        "sandbox" => sandbox: Option<Spanned<SandboxEntry>>,
    }
}

impl Config {
    /// Finds an agent's entry by its name.
    pub fn agent(&self, name: &str) -> Option<(&Spanned<String>, &AgentEntry)> {
        self.agents.as_ref()?.value.get(name)
    }

    /// Finds a chain by its name.
    pub fn chain(&self, name: &str) -> Option<(&Spanned<String>, &ChainEntry)> {
        self.chains.as_ref()?.value.get(name)
    }

    /// All chains in the order of the file.
    pub fn chains(&self) -> impl Iterator<Item = (&Spanned<String>, &ChainEntry)> {
        self.chains.iter().flat_map(|chains| chains.value.iter())
    }

    /// All agents' entries in the order of the file.
    pub fn agents(&self) -> impl Iterator<Item = (&Spanned<String>, &AgentEntry)> {
        self.agents.iter().flat_map(|agents| agents.value.iter())
    }
}

/// The JSON Schema of the config file.
pub fn schema() -> serde_json::Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    generator.into_root_schema_for::<Config>().to_value()
}
