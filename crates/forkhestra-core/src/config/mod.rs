//! The config file: JSON with comments, read into typed values that know where they stand.
//!
//! Reading never stops at the first mistake: everything that is wrong is reported at once, each
//! with its place. One definition of a key (see `record`) gives its type, its reader and its part
//! of the JSON Schema.

mod agent;
mod backend;
mod below;
mod brief;
mod capability;
mod chain;
mod checks;
mod clean_room;
mod decode;
mod hooks;
mod layers;
mod limits;
mod markers;
mod model;
mod notify;
mod prices;
mod read;
mod record;
mod replay;
mod secrets;
mod setting_problem;
mod strings;
mod table;
mod tool;
mod tool_support;
mod values;

#[cfg(test)]
mod tests;

pub use agent::{AgentEntry, Environment};
pub use backend::{Backend, Billing, Permissions};
pub use below::{NotAPattern, NotBelow, PathBelow, Pattern};
pub use brief::Brief;
pub use capability::{Setting, Support};
pub use chain::{ChainEntry, Completion, OnCycle, OnProtectedChange, StepEntry};
pub use checks::{CheckEntry, CheckWhen};
pub use clean_room::{CleanRoomEntry, RoomEntry};
pub use hooks::{HookEntry, Hooks, OnError};
pub use layers::{AgentEntries, Entry, Layer, LayerKind, Layers};
pub use limits::Limits;
pub use markers::Markers;
pub use model::{Model, ModelMisfit, misfit as model_misfit, program_of_model};
pub use notify::{
    Address, Moments, NotAnAddress, Notifications, NotifyEntry, NotifyOn, NotifyTo, VariableName,
};
pub use prices::PriceEntry;
pub use read::{Reading, read};
pub use replay::BackendChoice;
pub use setting_problem::SettingProblem;
pub use table::Table;
pub use tool::Tool;
pub use values::{Command, FileName, Name};

use crate::source::Spanned;
use record::record;

record! {
    /// Agents and chains for forkhestra.
    pub struct Config is "the config file" {
        /// The JSON Schema of this file, for editors.
        "$schema" => schema: Option<Spanned<String>>,
        /// Agents by name.
        "agents" => agents: Option<Spanned<Table<AgentEntry>>>,
        /// The agent program that built-in agents are for; `claude` by default. Agents of the config
        /// name theirs themselves.
        "backend" => backend: Option<Spanned<Backend>>,
        /// Chains by name.
        "chains" => chains: Option<Spanned<Table<ChainEntry>>>,
        /// Whom to tell when a run is over, hits a limit or needs somebody.
        "notify" => notify: Option<Spanned<Notifications>>,
        /// Prices of models by name, in US dollars per million tokens; they win over the known ones.
        "prices" => prices: Option<Spanned<Table<PriceEntry>>>,
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
