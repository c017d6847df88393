//! Reads the parts of Codex's own `config.toml` that a run needs.

use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::plan::EnvVars;

use crate::project::project_location::ProgramEnvironment;

/// Larger files are ignored.
const MOST_READ: u64 = 4 * 1024 * 1024;

/// The keys and values of one settings file. Strings have no quotes; other values are unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CodexConfig {
    /// Table (empty at the top level), key, value.
    entries: Vec<(String, String, String)>,
}

impl CodexConfig {
    /// The settings that apply to an agent, in order of precedence: the project's, then the user's.
    pub(crate) fn all(
        environment: &ProgramEnvironment,
        env: &EnvVars,
        directory: &Path,
    ) -> Vec<Self> {
        let project = Self::read(&directory.join(".codex/config.toml"));
        [project, Self::of_user(environment, env)].into_iter().flatten().collect()
    }

    /// The user's settings for an agent with these variables.
    pub(crate) fn of_user(environment: &ProgramEnvironment, env: &EnvVars) -> Option<Self> {
        Self::read(&home(environment, env)?.join("config.toml"))
    }

    /// Reads a file; `None` if it is missing or unreadable. Codex itself reports what is wrong with
    /// it.
    fn read(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let is_sane = metadata.is_file() && metadata.len() <= MOST_READ;
        is_sane.then(|| fs::read_to_string(path).ok().map(|text| Self::parse(&text)))?
    }

    /// Parses lines with one key and one value. Lists, dates and multi-line values are skipped.
    fn parse(text: &str) -> Self {
        let mut entries = Vec::new();
        let mut table = String::new();
        let mut open: Option<&str> = None;
        for line in text.lines() {
            if let Some(quotes) = open {
                if line.contains(quotes) {
                    open = None;
                }
                continue;
            }
            let line = line.trim();
            if let Some(name) = line.strip_prefix('[') {
                let name = name.trim_start_matches('[').split(']').next().unwrap_or_default();
                table = name.split('.').map(unquoted).collect::<Vec<_>>().join(".");
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
                continue;
            };
            let value = value.trim();
            let long = ["\"\"\"", "'''"].into_iter().find(|quotes| value.starts_with(quotes));
            if let Some(quotes) = long {
                open = (value.matches(quotes).count() < 2).then_some(quotes);
                continue;
            }
            entries.push((table.clone(), unquoted(key.trim()).to_owned(), scalar(value)));
        }
        Self { entries }
    }

    /// The value of a key in a table; an empty table name means the top level.
    fn value(&self, table: &str, key: &str) -> Option<&str> {
        let mut entries = self.entries.iter();
        entries
            .find(|(known, name, _)| known == table && name == key)
            .map(|(_, _, value)| value.as_str())
    }

    /// Whether a key has a value at the top level or in a profile.
    pub(crate) fn mentions(&self, key: &str) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|(table, name, _)| {
            name == key && (table.is_empty() || table.starts_with("profiles."))
        })
    }

    /// Whether the settings name a provider, which has its own key.
    pub(crate) fn has_provider(&self) -> bool {
        self.value("", "model_provider").is_some()
    }

    /// The model of the profile, of the default profile, or of the top level, in this order.
    pub(crate) fn model(&self, profile: Option<&str>) -> Option<&str> {
        let profile = profile.or_else(|| self.value("", "profile"));
        let of_profile =
            profile.and_then(|profile| self.value(&format!("profiles.{profile}"), "model"));
        of_profile.or_else(|| self.value("", "model"))
    }
}

/// Codex's home directory: `CODEX_HOME`, or `~/.codex`.
fn home(environment: &ProgramEnvironment, env: &EnvVars) -> Option<PathBuf> {
    let named = env.0.get("CODEX_HOME").map(PathBuf::from);
    let named = named.or_else(|| environment.variable("CODEX_HOME").map(PathBuf::from));
    named.or_else(|| environment.variable("HOME").map(|home| PathBuf::from(home).join(".codex")))
}

/// A value without quotes, or without the comment after it.
fn scalar(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            return rest.split(quote).next().unwrap_or_default().to_owned();
        }
    }
    value.split('#').next().unwrap_or_default().trim().to_owned()
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
model = "gpt-5.5" # the usual one
profile = 'fast'
instructions = """
model = "not this one"
"""
# allow_login_shell = true

[profiles.fast]
model = "gpt-5.5-mini"
[profiles."slow one"]
allow_login_shell = false
[model_providers.x]
other = "x"
"#;

    #[test]
    fn values_are_found_at_the_top_and_in_profiles() {
        let config = CodexConfig::parse(TEXT);
        assert_eq!(config.value("", "model"), Some("gpt-5.5"));
        assert_eq!(config.value("profiles.slow one", "allow_login_shell"), Some("false"));
        assert!(config.mentions("allow_login_shell") && !config.mentions("other"));
    }

    #[test]
    fn the_model_is_that_of_the_profile_in_use() {
        let config = CodexConfig::parse(TEXT);
        assert_eq!(config.model(None), Some("gpt-5.5-mini"));
        assert_eq!(config.model(Some("slow one")), Some("gpt-5.5"));
        assert_eq!(CodexConfig::parse("profile = \"x\"").model(None), None);
    }
}
