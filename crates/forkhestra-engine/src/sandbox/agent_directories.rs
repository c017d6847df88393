//! The directories in which agent programs keep their logins, sessions and settings.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use forkhestra_core::config::{AgentDirectory, Backend};

use super::sandbox_paths::{ProcessVariables, SandboxPaths};

/// A directory that an agent program writes.
struct AgentProgramDirectory {
    directory: AgentDirectory,
    /// Entries that name commands or instructions. They take effect outside of the sandbox too, so
    /// they can only be read.
    settings: &'static [&'static str],
}

const fn own(variable: Option<&'static str>, below_home: &'static str) -> AgentDirectory {
    AgentDirectory::Own { variable, below_home }
}

const fn xdg(
    variable: &'static str,
    below_home: &'static str,
    name: &'static str,
) -> AgentDirectory {
    AgentDirectory::Xdg { variable, below_home, name }
}

const CLAUDE: &[AgentProgramDirectory] = &[
    AgentProgramDirectory {
        directory: own(Some("CLAUDE_CONFIG_DIR"), ".claude"),
        settings: &[
            "settings.json",
            "settings.local.json",
            "CLAUDE.md",
            "agents",
            "commands",
            "hooks",
            "skills",
            "plugins",
        ],
    },
    AgentProgramDirectory { directory: xdg("XDG_CACHE_HOME", ".cache", "claude"), settings: &[] },
    AgentProgramDirectory {
        directory: xdg("XDG_CACHE_HOME", ".cache", "claude-cli-nodejs"),
        settings: &[],
    },
    AgentProgramDirectory {
        directory: xdg("XDG_STATE_HOME", ".local/state", "claude"),
        settings: &[],
    },
];

const CODEX: &[AgentProgramDirectory] = &[AgentProgramDirectory {
    directory: own(Some("CODEX_HOME"), ".codex"),
    settings: &["config.toml", "AGENTS.md", "AGENTS.override.md", "prompts", "skills", "rules"],
}];

const GEMINI: &[AgentProgramDirectory] = &[AgentProgramDirectory {
    directory: own(None, ".gemini"),
    settings: &["settings.json", "GEMINI.md", "commands", "extensions", ".env"],
}];

const OPENCODE: &[AgentProgramDirectory] = &[
    AgentProgramDirectory {
        directory: xdg("XDG_CONFIG_HOME", ".config", "opencode"),
        settings: &[
            "opencode.json",
            "opencode.jsonc",
            "config.json",
            "AGENTS.md",
            "agent",
            "agents",
            "command",
            "commands",
            "plugin",
            "plugins",
            "tool",
            "tools",
        ],
    },
    AgentProgramDirectory {
        directory: xdg("XDG_DATA_HOME", ".local/share", "opencode"),
        settings: &[],
    },
    AgentProgramDirectory { directory: xdg("XDG_CACHE_HOME", ".cache", "opencode"), settings: &[] },
    AgentProgramDirectory {
        directory: xdg("XDG_STATE_HOME", ".local/state", "opencode"),
        settings: &[],
    },
];

/// The file in which Claude Code keeps its state, unless `CLAUDE_CONFIG_DIR` is set.
const CLAUDE_STATE: &str = ".claude.json";

const fn directories(backend: Backend) -> &'static [AgentProgramDirectory] {
    match backend {
        Backend::Claude => CLAUDE,
        Backend::Codex => CODEX,
        Backend::Gemini => GEMINI,
        Backend::Opencode => OPENCODE,
    }
}

/// Whether missing directories are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingDirectories {
    /// They are created: the agent program would create them itself.
    Create,
    Skip,
}

/// Makes the directories of an agent program writable.
pub(super) fn add_to(
    paths: &mut SandboxPaths,
    backend: Backend,
    variables: &ProcessVariables<'_>,
    missing: MissingDirectories,
) {
    for AgentProgramDirectory { directory, settings } in directories(backend) {
        let Some(path) = place(*directory, variables) else { continue };
        if missing == MissingDirectories::Create {
            // The agent reports a directory that cannot be created.
            let _ = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        }
        paths.allow_write(&path);
        settings.iter().for_each(|name| paths.deny_write(path.join(name)));
    }
    if backend != Backend::Claude || variables.get("CLAUDE_CONFIG_DIR").is_some() {
        return;
    }
    if let Some(state) = variables.home().map(|home| home.join(CLAUDE_STATE)) {
        if missing == MissingDirectories::Create && fs::symlink_metadata(&state).is_err() {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&state);
            // Claude Code reports a file that cannot be written.
            let _ = file.and_then(|mut file| file.write_all(b"{}\n"));
        }
        paths.allow_write(state);
    }
}

/// The path of a directory.
fn place(directory: AgentDirectory, variables: &ProcessVariables<'_>) -> Option<PathBuf> {
    match directory {
        AgentDirectory::Own { variable, below_home } => variable
            .and_then(|name| variables.path(name))
            .or_else(|| Some(variables.home()?.join(below_home))),
        AgentDirectory::Xdg { variable, below_home, name } => {
            let base = variables.path(variable);
            Some(base.or_else(|| Some(variables.home()?.join(below_home)))?.join(name))
        }
    }
}
