//! The user's own settings of an agent program.

use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::config::{AgentDirectory, Backend, SettingsFile};
use forkhestra_core::plan::EnvVars;
use forkhestra_engine::regular_file;
use serde_json::Value;

use crate::project::project_location::ProgramEnvironment;
use crate::project::toml_settings::TomlSettings;

/// Larger files are ignored.
const MAX_READ_BYTES: u64 = 4 * 1024 * 1024;

/// One settings file of an agent program.
#[derive(Debug)]
pub(crate) enum AgentSettings {
    Json { value: Value, model_pointer: &'static str },
    Toml(TomlSettings),
}

impl AgentSettings {
    /// The settings that apply to an agent, in order of precedence: the project's, then the user's.
    pub(crate) fn all(
        backend: Backend,
        environment: &ProgramEnvironment,
        env: &EnvVars,
        directory: &Path,
    ) -> Vec<Self> {
        let facts = &backend.facts().settings;
        let project = match facts.directory {
            AgentDirectory::Own { below_home, .. } => {
                Self::read(facts.file, &directory.join(below_home))
            }
            AgentDirectory::Xdg { .. } => None,
        };
        [project, Self::of_user(backend, environment, env)].into_iter().flatten().collect()
    }

    /// The user's settings for an agent with these variables.
    pub(crate) fn of_user(
        backend: Backend,
        environment: &ProgramEnvironment,
        env: &EnvVars,
    ) -> Option<Self> {
        let facts = &backend.facts().settings;
        Self::read(facts.file, &directory(facts.directory, environment, env)?)
    }

    /// Reads a file; `None` if it is missing or unreadable. The program itself reports what is wrong
    /// with it.
    fn read(file: SettingsFile, directory: &Path) -> Option<Self> {
        let path = directory.join(file.name());
        let metadata = fs::metadata(&path).ok()?;
        let is_sane = metadata.is_file() && metadata.len() <= MAX_READ_BYTES;
        let text = is_sane.then(|| regular_file::read_text(&path).ok())??;
        Some(match file {
            SettingsFile::Json { model, .. } => {
                Self::Json { value: serde_json::from_str(&text).ok()?, model_pointer: model }
            }
            SettingsFile::Toml { .. } => Self::Toml(TomlSettings::parse(&text)),
        })
    }

    /// The text of a key at the top level.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self {
            Self::Json { value, .. } => value[key].as_str(),
            Self::Toml(settings) => settings.value("", key),
        }
    }

    /// Whether a key has a value at the top level or in a profile.
    pub(crate) fn mentions(&self, key: &str) -> bool {
        match self {
            Self::Json { value, .. } => value.get(key).is_some(),
            Self::Toml(settings) => settings.mentions(key),
        }
    }

    /// The model of a profile, or of the default profile.
    pub(crate) fn model(&self, profile: Option<&str>) -> Option<&str> {
        match self {
            Self::Json { value, model_pointer } => value.pointer(model_pointer)?.as_str(),
            Self::Toml(settings) => settings.model(profile),
        }
    }
}

/// The path of a directory for an agent with these variables.
pub(crate) fn directory(
    directory: AgentDirectory,
    environment: &ProgramEnvironment,
    env: &EnvVars,
) -> Option<PathBuf> {
    let named = |variable: &str| {
        let of_agent = env.0.get(variable).map(PathBuf::from);
        of_agent.or_else(|| environment.variable(variable).map(PathBuf::from))
    };
    let home = |below: &str| environment.variable("HOME").map(|home| Path::new(home).join(below));
    match directory {
        AgentDirectory::Own { variable, below_home } => {
            variable.and_then(named).or_else(|| home(below_home))
        }
        AgentDirectory::Xdg { variable, below_home, name } => {
            let parent = named(variable).filter(|parent| parent.is_absolute());
            Some(parent.or_else(|| home(below_home))?.join(name))
        }
    }
}
