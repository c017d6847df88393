//! The home directory and the environment of a strict sandbox.

use forkhestra_core::config::Backend;

use crate::package_caches::PACKAGE_DIRECTORIES;
use crate::sandbox::sandbox_paths::{ProcessVariables, SandboxPaths};

/// Variables that every program gets.
const COMMON: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
    "LINES",
    "PWD",
    "CI",
    "IS_SANDBOX",
    "EDITOR",
    "FORGE_TASKS_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "GOROOT",
    "GOPATH",
    "VIRTUAL_ENV",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Beginnings of names of variables that every program gets.
const COMMON_PREFIXES: &[&str] = &["LC_", "FORKHESTRA_", "RALPH_", "GIT_AUTHOR_", "GIT_COMMITTER_"];

/// Directories of programs that hold no credentials.
const PROGRAM_DIRECTORIES: [&str; 6] =
    [".rustup", ".nvm", ".volta", ".pyenv", ".rbenv", ".local/share/pnpm"];

/// Files of the home directory that git needs for its identity.
const GIT_FILES: [&str; 2] = [".gitconfig", ".config/git/config"];

/// Beginnings of names of variables of an agent program.
const fn prefixes(backend: Backend) -> &'static [&'static str] {
    match backend {
        Backend::Claude => &["ANTHROPIC_", "CLAUDE_"],
        Backend::Codex => &["OPENAI_", "CODEX_"],
        Backend::Gemini => &["GEMINI_", "GOOGLE_GENAI_", "GOOGLE_GEMINI_", "GOOGLE_API_KEY"],
        Backend::Opencode => &["OPENCODE_"],
    }
}

/// Whether a variable is passed on. Without an agent program it is for a check.
pub(in crate::sandbox) fn is_passed_on(name: &str, backend: Option<Backend>) -> bool {
    let is_common = COMMON.contains(&name)
        || COMMON_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || PACKAGE_DIRECTORIES.iter().any(|entry| entry.variable == Some(name));
    is_common
        || backend.is_some_and(|backend| {
            let facts = backend.facts();
            facts.login.variables.contains(&name)
                || facts.settings.model_variable == Some(name)
                || facts.config_variable == Some(name)
                || prefixes(backend).iter().any(|prefix| name.starts_with(prefix))
        })
}

/// Hides the home directory, except for programs and git's identity.
pub(in crate::sandbox) fn hide_home(paths: &mut SandboxPaths, variables: &ProcessVariables<'_>) {
    let Some(home) = variables.home() else { return };
    paths.hide(&home);
    let real = home.canonicalize();
    paths.visible.retain(|path| !real.as_ref().is_ok_and(|home| path == home));
    for name in PROGRAM_DIRECTORIES.iter().chain(&GIT_FILES) {
        paths.show(home.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_variables_are_passed_on() {
        let table = [
            ("PATH", None, true),
            ("LC_ALL", None, true),
            ("FORKHESTRA_RUN_ID", None, true),
            ("GOCACHE", None, true),
            ("AWS_SECRET_ACCESS_KEY", None, false),
            ("GITHUB_TOKEN", None, false),
            ("SSH_AUTH_SOCK", None, false),
            ("ANTHROPIC_API_KEY", None, false),
            ("ANTHROPIC_API_KEY", Some(Backend::Claude), true),
            ("ANTHROPIC_API_KEY", Some(Backend::Codex), false),
            ("OPENROUTER_API_KEY", Some(Backend::Opencode), true),
            ("CLAUDE_CODE_OAUTH_TOKEN", Some(Backend::Claude), true),
        ];
        for (name, backend, expected) in table {
            assert_eq!(is_passed_on(name, backend), expected, "{name} {backend:?}");
        }
    }
}
