//! Reads the parts of an agent's TOML settings that a run needs.

/// The keys and values of one settings file. Strings have no quotes; other values are unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TomlSettings {
    /// Table (empty at the top level), key, value.
    entries: Vec<(String, String, String)>,
}

impl TomlSettings {
    /// Parses lines with one key and one value. Lists, dates and multi-line values are skipped.
    pub(super) fn parse(text: &str) -> Self {
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
    pub(super) fn value(&self, table: &str, key: &str) -> Option<&str> {
        let mut entries = self.entries.iter();
        entries
            .find(|(known, name, _)| known == table && name == key)
            .map(|(_, _, value)| value.as_str())
    }

    /// Whether a key has a value at the top level or in a profile.
    pub(super) fn mentions(&self, key: &str) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|(table, name, _)| {
            name == key && (table.is_empty() || table.starts_with("profiles."))
        })
    }

    /// The model of the profile, of the default profile, or of the top level, in this order.
    pub(super) fn model(&self, profile: Option<&str>) -> Option<&str> {
        let profile = profile.or_else(|| self.value("", "profile"));
        let of_profile =
            profile.and_then(|profile| self.value(&format!("profiles.{profile}"), "model"));
        of_profile.or_else(|| self.value("", "model"))
    }
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
        let config = TomlSettings::parse(TEXT);
        assert_eq!(config.value("", "model"), Some("gpt-5.5"));
        assert_eq!(config.value("profiles.slow one", "allow_login_shell"), Some("false"));
        assert!(config.mentions("allow_login_shell") && !config.mentions("other"));
    }

    #[test]
    fn the_model_is_that_of_the_profile_in_use() {
        let config = TomlSettings::parse(TEXT);
        assert_eq!(config.model(None), Some("gpt-5.5-mini"));
        assert_eq!(config.model(Some("slow one")), Some("gpt-5.5"));
        assert_eq!(TomlSettings::parse("profile = \"x\"").model(None), None);
    }
}
