//! Config files over one another: what is nearer wins whole, by name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{AgentEntry, Backend, ChainEntry, Config, NotifyEntries};
use crate::cost::ModelPrice;
use crate::diagnostic::source::{SourceText, Span, Spanned};

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigLayerKind {
    /// The project's, or the one named on the command line.
    Project,
    /// The user's own, for every project.
    User,
    /// What comes with forkhestra, below everything else.
    BuiltIn,
}

/// One config file that was read.
#[derive(Debug, Clone)]
pub struct ConfigLayer {
    /// Whose it is.
    pub kind: ConfigLayerKind,
    /// Its text, to point into.
    pub source: Arc<SourceText>,
    /// What it says.
    pub config: Config,
}

/// All config files, the nearest first.
#[derive(Debug, Clone, Default)]
pub struct ConfigLayers {
    /// The files that exist.
    pub files: Vec<ConfigLayer>,
    /// Every place that was looked at, for messages.
    pub looked_for: Vec<String>,
}

/// Something that a config file says about a name.
#[derive(Debug)]
pub struct ConfigEntry<'a, T> {
    /// The file it stands in.
    pub layer: &'a ConfigLayer,
    /// The name, and where it stands.
    pub name: &'a Spanned<String>,
    /// What is said.
    pub entry: &'a T,
}

impl<T> Clone for ConfigEntry<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ConfigEntry<'_, T> {}

/// What the config files say about an agent's name.
#[derive(Debug, Clone, Default)]
pub struct AgentEntries<'a> {
    /// What the agent is, if a config file says so.
    pub definition: Option<ConfigEntry<'a, AgentEntry>>,
    /// What changes it, or whatever else the name means: entries without a prompt, the nearest first.
    pub overlays: Vec<ConfigEntry<'a, AgentEntry>>,
    /// What to ask of it when nobody else says so.
    pub prompts: Option<ConfigEntry<'a, AgentEntry>>,
}

impl ConfigLayers {
    /// The files that somebody wrote: all but what comes with forkhestra.
    pub fn user_layers(&self) -> impl Iterator<Item = &ConfigLayer> {
        self.files.iter().filter(|layer| layer.kind != ConfigLayerKind::BuiltIn)
    }

    /// Whether what comes with forkhestra is there.
    pub fn has_built_ins(&self) -> bool {
        self.files.iter().any(|layer| layer.kind == ConfigLayerKind::BuiltIn)
    }

    /// The agent program that built-in agents are for, if a config file says so: the nearest.
    pub fn backend(&self) -> Option<Backend> {
        self.files.iter().find_map(|layer| Some(layer.config.backend.as_ref()?.value))
    }

    /// Whom to tell of what becomes of a run: what the nearest file says that says anything, and which
    /// file that is.
    pub fn notifications(&self) -> Option<(&ConfigLayer, &NotifyEntries)> {
        self.files.iter().find_map(|layer| Some((layer, &layer.config.notify.as_ref()?.value)))
    }

    /// Finds a chain: the nearest definition of the name.
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

    /// All names that the config files say something about an agent under, each once.
    pub fn agent_names(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.files.iter().flat_map(|layer| layer.config.agents());
        all.map(|(name, _)| name.value.as_str()).filter(|name| seen.insert(*name)).collect()
    }

    /// The prices of all models that the config files give: the nearest of each name, whole.
    pub fn prices(&self) -> BTreeMap<String, ModelPrice> {
        let mut prices = BTreeMap::new();
        for layer in self.files.iter().rev() {
            let given = layer.config.prices.iter().flat_map(|prices| prices.value.iter());
            prices.extend(given.map(|(model, entry)| (model.value.clone(), entry.price())));
        }
        prices
    }

    /// Finds what is said about an agent's name.
    ///
    /// The nearest entry that says what the agent is defines it whole. Nearer entries adjust it, and
    /// where no entry defines it, whatever else the name means.
    pub fn agent(&self, name: &str) -> AgentEntries<'_> {
        let mut found = AgentEntries::default();
        for layer in &self.files {
            let Some((name, entry)) = layer.config.agent(name) else { continue };
            let entry = ConfigEntry { layer, name, entry };
            if found.prompts.is_none() && entry.entry.has_prompts() {
                found.prompts = Some(entry);
            }
            if entry.entry.defines_agent() {
                // Nothing farther out is looked at: definitions are not merged.
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
    /// All entries that say what the agent is or adjust it, the nearest first.
    pub fn nearest_first(&self) -> impl Iterator<Item = ConfigEntry<'a, AgentEntry>> {
        self.overlays.iter().copied().chain(self.definition)
    }
}

impl ConfigLayer {
    /// The line and column of a span's beginning.
    pub fn line_and_column(&self, span: Span) -> (usize, usize) {
        self.source.line_and_column(span.start)
    }

    /// What messages call the file.
    pub fn file_name(&self) -> &str {
        self.source.name.as_deref().unwrap_or_default()
    }
}

impl AgentEntry {
    fn has_prompts(&self) -> bool {
        self.default_prompt.is_some() || self.default_prompt_file.is_some()
    }
}
