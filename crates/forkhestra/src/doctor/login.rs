//! Determines from files and variables whether an agent is logged in and which model it uses.
//! Secrets are neither kept nor shown; only their location is.

use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::config::Backend;
use forkhestra_core::plan::EnvVars;
use serde_json::Value;

use crate::project::codex_config::CodexConfig;
use crate::project::project_location::ProgramEnvironment;

/// Larger settings files are ignored.
const MOST_READ: u64 = 1024 * 1024;

/// Evidence that an agent is logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LoginEvidence {
    /// The evidence, in words.
    By(String),
    /// There is no evidence, but the agent may be logged in all the same.
    Unknown,
    /// There is no evidence.
    Nothing,
}

/// The login settings of one agent.
pub(super) struct AgentLoginSettings<'a> {
    environment: &'a ProgramEnvironment,
    backend: Backend,
}

impl<'a> AgentLoginSettings<'a> {
    pub(super) fn new(backend: Backend, environment: &'a ProgramEnvironment) -> Self {
        Self { environment, backend }
    }

    /// Searches variables and files for a login.
    pub(super) fn login(&self) -> LoginEvidence {
        let variables: &[&str] = match self.backend {
            Backend::Claude => &[
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_AUTH_TOKEN",
                "CLAUDE_CODE_OAUTH_TOKEN",
                "CLAUDE_CODE_USE_BEDROCK",
                "CLAUDE_CODE_USE_VERTEX",
            ],
            Backend::Codex => &["CODEX_API_KEY", "OPENAI_API_KEY"],
            Backend::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
            Backend::Opencode => {
                &["OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"]
            }
        };
        let set = variables.iter().find(|name| self.environment.variable(name).is_some());
        if let Some(name) = set {
            return LoginEvidence::By(format!("{name} is set"));
        }
        let file = self.credentials().into_iter().find(|file| is_filled(file.as_path()));
        if let Some(file) = file {
            let shown = self.environment.shortened(&file.to_string_lossy());
            return LoginEvidence::By(format!("{shown} is there"));
        }
        match self.backend {
            // On macOS the login is in the system's keychain.
            Backend::Claude if cfg!(target_os = "macos") => LoginEvidence::Unknown,
            Backend::Claude if self.settings()["apiKeyHelper"].is_string() => {
                LoginEvidence::By("its settings name an `apiKeyHelper`".to_owned())
            }
            // A custom provider has its own key.
            Backend::Codex if self.codex().is_some_and(|config| config.has_provider()) => {
                LoginEvidence::Unknown
            }
            // Opencode has models that need no account.
            Backend::Opencode => LoginEvidence::Unknown,
            Backend::Claude | Backend::Codex | Backend::Gemini => LoginEvidence::Nothing,
        }
    }

    /// The model that the agent uses unless another one is given.
    pub(super) fn model(&self) -> Option<String> {
        let variable = match self.backend {
            Backend::Claude => Some("ANTHROPIC_MODEL"),
            Backend::Gemini => Some("GEMINI_MODEL"),
            Backend::Codex | Backend::Opencode => None,
        };
        let set = variable.and_then(|name| self.environment.variable(name));
        if let Some(model) = set {
            return Some(model.to_string_lossy().into_owned());
        }
        let settings = || self.settings();
        match self.backend {
            Backend::Claude | Backend::Opencode => settings()["model"].as_str().map(str::to_owned),
            Backend::Gemini => settings()["model"]["name"].as_str().map(str::to_owned),
            Backend::Codex => self.codex()?.model(None).map(str::to_owned),
        }
    }

    fn credentials(&self) -> Vec<PathBuf> {
        let directory = self.directory();
        let files: &[&str] = match self.backend {
            Backend::Claude => &[".credentials.json"],
            Backend::Codex | Backend::Opencode => &["auth.json"],
            Backend::Gemini => &["oauth_creds.json", ".env"],
        };
        let directory = match self.backend {
            Backend::Opencode => self.below("XDG_DATA_HOME", ".local/share", "opencode"),
            Backend::Claude | Backend::Codex | Backend::Gemini => directory,
        };
        directory.iter().flat_map(|place| files.iter().map(|file| place.join(file))).collect()
    }

    /// The directory of its settings.
    fn directory(&self) -> Option<PathBuf> {
        let named = |variable: &str| self.environment.variable(variable).map(PathBuf::from);
        match self.backend {
            Backend::Claude => named("CLAUDE_CONFIG_DIR").or_else(|| self.home(".claude")),
            Backend::Codex => named("CODEX_HOME").or_else(|| self.home(".codex")),
            Backend::Gemini => self.home(".gemini"),
            Backend::Opencode => self.below("XDG_CONFIG_HOME", ".config", "opencode"),
        }
    }

    fn home(&self, below: &str) -> Option<PathBuf> {
        self.environment.variable("HOME").map(|home| PathBuf::from(home).join(below))
    }

    fn below(&self, variable: &str, usual: &str, name: &str) -> Option<PathBuf> {
        let named = self.environment.variable(variable).map(PathBuf::from);
        let place = named.filter(|place| place.is_absolute()).or_else(|| self.home(usual));
        place.map(|place| place.join(name))
    }

    /// The settings as JSON; null if they cannot be read. The agent itself reports what is wrong
    /// with them.
    fn settings(&self) -> Value {
        let file = match self.backend {
            Backend::Claude | Backend::Gemini => "settings.json",
            Backend::Opencode => "opencode.json",
            Backend::Codex => return Value::Null,
        };
        let text = self.directory().and_then(|place| read(&place.join(file)));
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    fn codex(&self) -> Option<CodexConfig> {
        CodexConfig::of_user(self.environment, &EnvVars::default())
    }
}

fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
}

fn read(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let is_sane = metadata.is_file() && metadata.len() <= MOST_READ;
    is_sane.then(|| fs::read_to_string(path).ok())?
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn environment(home: &Path, variables: &[(&str, &str)]) -> ProgramEnvironment {
        let home = OsString::from(home);
        let mut inherited = vec![(OsString::from("HOME"), home.clone())];
        inherited.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        ProgramEnvironment { home: Some(home), inherited, ..ProgramEnvironment::default() }
    }

    fn write(home: &Path, path: &str, text: &str) {
        let path = home.join(path);
        fs::create_dir_all(path.parent().expect("it is below")).expect("the home is ours");
        fs::write(path, text).expect("the home is ours");
    }

    #[test]
    fn a_key_is_named_and_not_shown() {
        let home = tempfile::tempdir().expect("there is room");
        for (backend, name) in [
            (Backend::Claude, "ANTHROPIC_API_KEY"),
            (Backend::Codex, "CODEX_API_KEY"),
            (Backend::Gemini, "GEMINI_API_KEY"),
            (Backend::Opencode, "OPENROUTER_API_KEY"),
        ] {
            let environment = environment(home.path(), &[(name, "s3cret")]);
            let login = AgentLoginSettings::new(backend, &environment).login();
            assert_eq!(login, LoginEvidence::By(format!("{name} is set")));
        }
    }

    #[test]
    fn files_of_a_login_are_found_where_each_agent_keeps_them() {
        for (backend, file) in [
            (Backend::Claude, ".claude/.credentials.json"),
            (Backend::Codex, ".codex/auth.json"),
            (Backend::Gemini, ".gemini/oauth_creds.json"),
            (Backend::Opencode, ".local/share/opencode/auth.json"),
        ] {
            let home = tempfile::tempdir().expect("there is room");
            let environment = environment(home.path(), &[]);
            let settings = AgentLoginSettings::new(backend, &environment);
            assert!(!matches!(settings.login(), LoginEvidence::By(_)), "{backend:?}");
            write(home.path(), file, "");
            assert!(!matches!(settings.login(), LoginEvidence::By(_)), "an empty file is no login");
            write(home.path(), file, "{\"token\": \"s3cret\"}");
            assert_eq!(settings.login(), LoginEvidence::By(format!("~/{file} is there")));
        }
    }

    #[test]
    fn another_directory_for_settings_is_respected() {
        let home = tempfile::tempdir().expect("there is room");
        write(home.path(), "elsewhere/auth.json", "{}");
        let elsewhere = home.path().join("elsewhere");
        let elsewhere = elsewhere.to_string_lossy();
        let environment = environment(home.path(), &[("CODEX_HOME", &elsewhere)]);
        let login = AgentLoginSettings::new(Backend::Codex, &environment).login();
        assert_eq!(login, LoginEvidence::By("~/elsewhere/auth.json is there".to_owned()));
    }

    #[test]
    fn the_model_is_the_one_that_settings_name() {
        let home = tempfile::tempdir().expect("there is room");
        write(home.path(), ".claude/settings.json", r#"{"model": "opus"}"#);
        write(
            home.path(),
            ".codex/config.toml",
            "model = \"gpt-5.5\"\n[profiles.a]\nmodel = \"b\"\n",
        );
        write(home.path(), ".gemini/settings.json", r#"{"model": {"name": "gemini-3"}}"#);
        write(home.path(), ".config/opencode/opencode.json", "not JSON");
        let environment = environment(home.path(), &[]);
        let model = |backend| AgentLoginSettings::new(backend, &environment).model();
        assert_eq!(model(Backend::Claude).as_deref(), Some("opus"));
        assert_eq!(model(Backend::Codex).as_deref(), Some("gpt-5.5"));
        assert_eq!(model(Backend::Gemini).as_deref(), Some("gemini-3"));
        assert_eq!(model(Backend::Opencode), None);
    }
}
