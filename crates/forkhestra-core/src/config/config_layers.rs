//! Layers of config files: the nearest definition of a name wins as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{AgentEntry, Backend, ChainEntry, Config, NotifyEntries, SandboxEntry};
use crate::cost::ModelPrice;
use crate::diagnostic::source::{SourceText, Span, Spanned};

/// The kind of a config file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigLayerKind {
    /// The project's file, or the one named on the command line.
    Project,
    /// The user's own file, for every project.
    User,
    /// The built-in definitions, below all files.
    BuiltIn,
}

/// One config file that was read.
#[derive(Debug, Clone)]
pub struct ConfigLayer {
    pub kind: ConfigLayerKind,
    /// Its text, for diagnostics.
    pub source: Arc<SourceText>,
    pub config: Config,
}

/// All config files, the nearest first.
#[derive(Debug, Clone, Default)]
pub struct ConfigLayers {
    /// The files that exist.
    pub files: Vec<ConfigLayer>,
    /// Every path that was searched, for messages.
    pub looked_for: Vec<String>,
}

/// An entry of a config file for a name.
#[derive(Debug)]
pub struct ConfigEntry<'a, T> {
    /// The file that holds it.
    pub layer: &'a ConfigLayer,
    pub name: &'a Spanned<String>,
    pub entry: &'a T,
}

impl<T> Clone for ConfigEntry<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ConfigEntry<'_, T> {}

/// The entries of all config files for an agent's name.
#[derive(Debug, Clone, Default)]
pub struct AgentEntries<'a> {
    /// The definition of the agent, if there is one.
    pub definition: Option<ConfigEntry<'a, AgentEntry>>,
    /// Entries without a prompt that adjust the agent, the nearest first.
    pub overlays: Vec<ConfigEntry<'a, AgentEntry>>,
    /// The entry with the agent's default prompt.
    pub prompts: Option<ConfigEntry<'a, AgentEntry>>,
}

impl ConfigLayers {
    /// The files that users wrote: all but the built-in layer.
    pub fn user_layers(&self) -> impl Iterator<Item = &ConfigLayer> {
        self.files.iter().filter(|layer| layer.kind != ConfigLayerKind::BuiltIn)
    }

    /// Whether the built-in layer is present.
    pub fn has_built_ins(&self) -> bool {
        self.files.iter().any(|layer| layer.kind == ConfigLayerKind::BuiltIn)
    }

    /// The agent program for built-in agents from the nearest file that names one.
    pub fn backend(&self) -> Option<Backend> {
        self.files.iter().find_map(|layer| Some(layer.config.backend.as_ref()?.value))
    }

    /// The sandbox for everything in the file of a kind, and that file.
    pub fn sandbox(&self, kind: ConfigLayerKind) -> Option<(&ConfigLayer, &Spanned<SandboxEntry>)> {
        let mut files = self.files.iter().filter(|layer| layer.kind == kind);
        files.find_map(|layer| Some((layer, layer.config.sandbox.as_ref()?)))
    }

    /// The notifications from the nearest file that has any, and that file.
    pub fn notifications(&self) -> Option<(&ConfigLayer, &NotifyEntries)> {
        self.files.iter().find_map(|layer| Some((layer, &layer.config.notify.as_ref()?.value)))
    }

    /// Finds the nearest definition of a chain.
    pub fn chain(&self, name: &str) -> Option<ConfigEntry<'_, ChainEntry>> {
        self.files.iter().find_map(|layer| {
            let (name, entry) = layer.config.chain(name)?;
            Some(ConfigEntry { layer, name, entry })
        })
    }

    /// All chains that can be run: those of the nearest file first, each name once.
    pub fn chains(&self) -> impl Iterator<Item = ConfigEntry<'_, ChainEntry>> {
        self.files.iter().enumerate().flat_map(move |(depth, layer)| {
            let nearer = &self.files[..depth];
            let chains = layer.config.chains();
            chains
                .filter(move |(name, _)| {
                    nearer.iter().all(|near| near.config.chain(&name.value).is_none())
                })
                .map(move |(name, entry)| ConfigEntry { layer, name, entry })
        })
    }

    /// All agent names in the config files, each once.
    pub fn agent_names(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.files.iter().flat_map(|layer| layer.config.agents());
        all.map(|(name, _)| name.value.as_str()).filter(|name| seen.insert(*name)).collect()
    }

    /// The prices of all models in the config files: the nearest entry of each name, as a whole.
    pub fn prices(&self) -> BTreeMap<String, ModelPrice> {
        let mut prices = BTreeMap::new();
        for layer in self.files.iter().rev() {
            let given = layer.config.prices.iter().flat_map(|prices| prices.value.iter());
            prices.extend(given.map(|(model, entry)| (model.value.clone(), entry.price())));
        }
        prices
    }

    /// Finds the entries for an agent's name.
    ///
    /// The nearest defining entry defines the agent as a whole. Nearer entries adjust it; without a
    /// definition they adjust whatever else the name means.
    pub fn agent(&self, name: &str) -> AgentEntries<'_> {
        let mut found = AgentEntries::default();
        for layer in &self.files {
            let Some((name, entry)) = layer.config.agent(name) else { continue };
            let entry = ConfigEntry { layer, name, entry };
            if found.prompts.is_none() && entry.entry.has_prompts() {
                found.prompts = Some(entry);
            }
            if entry.entry.defines_agent() {
                // Definitions are not merged, so the search ends here.
                found.definition = Some(entry);
                break;
            }
            if entry.entry.adjusts_agent() {
                found.overlays.push(entry);
            }
        }
        found
    }
}

impl<'a> AgentEntries<'a> {
    /// All entries that define or adjust the agent, the nearest first.
    pub fn nearest_first(&self) -> impl Iterator<Item = ConfigEntry<'a, AgentEntry>> {
        self.overlays.iter().copied().chain(self.definition)
    }
}

impl ConfigLayer {
    /// The line and column of a span's beginning.
    pub fn line_and_column(&self, span: Span) -> (usize, usize) {
        self.source.line_and_column(span.start)
    }

    /// The file's name in messages.
    pub fn file_name(&self) -> &str {
        self.source.name.as_deref().unwrap_or_default()
    }
}

impl AgentEntry {
    fn has_prompts(&self) -> bool {
        self.default_prompt.is_some() || self.default_prompt_file.is_some()
    }
}
