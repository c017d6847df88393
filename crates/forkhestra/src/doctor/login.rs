//! Determines from files and variables whether an agent is logged in and which model it uses.
//! Secrets are neither kept nor shown; only their location is.

use std::fs;
use std::path::Path;

use forkhestra_core::config::{Backend, OtherLogin};
use forkhestra_core::plan::EnvVars;

use crate::project::agent_settings::{AgentSettings, directory};
use crate::project::project_location::ProgramEnvironment;

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

    /// Searches variables, files and settings for a login.
    pub(super) fn login(&self) -> LoginEvidence {
        let facts = &self.backend.facts().login;
        let set = facts.variables.iter().find(|name| self.environment.variable(name).is_some());
        if let Some(name) = set {
            return LoginEvidence::By(format!("{name} is set"));
        }
        let directory = directory(facts.directory, self.environment, &EnvVars::default());
        let files = directory.iter().flat_map(|place| facts.files.iter().map(|f| place.join(f)));
        if let Some(file) = files.into_iter().find(|file| is_filled(file)) {
            let shown = self.environment.shortened(&file.to_string_lossy());
            return LoginEvidence::By(format!("{shown} is there"));
        }
        let has = |key| self.settings().is_some_and(|settings| settings.text(key).is_some());
        match facts.other {
            Some(OtherLogin::KeychainOrHelper(_)) if cfg!(target_os = "macos") => {
                LoginEvidence::Unknown
            }
            Some(OtherLogin::KeychainOrHelper(key)) if has(key) => {
                LoginEvidence::By(format!("its settings name an `{key}`"))
            }
            Some(OtherLogin::Provider(key)) if has(key) => LoginEvidence::Unknown,
            Some(OtherLogin::NotNeeded) => LoginEvidence::Unknown,
            Some(OtherLogin::KeychainOrHelper(_) | OtherLogin::Provider(_)) | None => {
                LoginEvidence::Nothing
            }
        }
    }

    /// The model that the agent uses unless another one is given.
    pub(super) fn model(&self) -> Option<String> {
        let variable = self.backend.facts().settings.model_variable;
        if let Some(model) = variable.and_then(|name| self.environment.variable(name)) {
            return Some(model.to_string_lossy().into_owned());
        }
        self.settings()?.model(None).map(str::to_owned)
    }

    fn settings(&self) -> Option<AgentSettings> {
        AgentSettings::of_user(self.backend, self.environment, &EnvVars::default())
    }
}

fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
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
