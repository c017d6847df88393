//! The supported agents, and how each is pointed at a server.

mod agent_environment;
mod claude;
mod codex;
mod gemini;
mod opencode;

use std::io;
use std::path::Path;

use serde_json::json;

use crate::model_turn::ModelTurn;
use agent_environment::AgentEnvironment;

/// An agent that can be pointed at a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentClient {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

impl AgentClient {
    /// All agents.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// The name of its program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// A model that it knows by this name and that uses plain tool calls.
    pub fn model(self) -> &'static str {
        match self {
            Self::Claude => "sonnet",
            // Newer models call their tools from JavaScript.
            Self::Codex => "gpt-5.5",
            Self::Gemini => "gemini-2.5-pro",
            Self::Opencode => "scripted/model",
        }
    }

    /// Writes its settings into a home, and returns the variables that make the server at this URL
    /// its only provider. `HOME` and `TMPDIR` are among them, `PATH` is not.
    ///
    /// Claude Code refuses to skip permissions for root outside a sandbox. The caller has to set
    /// the variable for that.
    ///
    /// # Errors
    ///
    /// If the settings cannot be written, or the path of the home is not UTF-8.
    pub fn point_at(self, url: &str, home: &Path) -> io::Result<Vec<(String, String)>> {
        let mut surroundings = AgentEnvironment::new(home)?;
        match self {
            Self::Claude => claude::set_up(&mut surroundings, url)?,
            Self::Codex => codex::set_up(&mut surroundings, url)?,
            Self::Gemini => gemini::set_up(&mut surroundings, url)?,
            Self::Opencode => opencode::set_up(&mut surroundings, url)?,
        }
        Ok(surroundings.into_variables())
    }
}

impl ModelTurn {
    /// Adds a call of the agent's shell tool.
    #[must_use]
    pub fn shell(self, agent: AgentClient, command: &str) -> Self {
        match agent {
            AgentClient::Claude => self.tool("Bash", json!({ "command": command })),
            AgentClient::Codex => self.tool("exec_command", json!({ "cmd": command })),
            AgentClient::Gemini => self.tool("run_shell_command", json!({ "command": command })),
            AgentClient::Opencode => {
                self.tool("bash", json!({ "command": command, "description": "a command" }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_agent_is_told_where_the_server_is_and_keeps_to_its_home() {
        for agent in AgentClient::ALL {
            let home = tempfile::tempdir().expect("there is room");
            let home = home.path();
            let variables =
                agent.point_at("http://127.0.0.1:1", home).expect("the directory is ours");
            let value = |name: &str| {
                let found = variables.iter().find(|(known, _)| known == name);
                found.map(|(_, value)| value.clone()).unwrap_or_default()
            };
            assert_eq!(Path::new(&value("HOME")), home);
            assert!(Path::new(&value("TMPDIR")).is_dir());
            let settings = [".codex/config.toml", ".config/opencode/opencode.json"];
            let mut said: Vec<String> = variables.iter().map(|(_, value)| value.clone()).collect();
            said.extend(settings.iter().flat_map(|file| fs::read_to_string(home.join(file))));
            let is_told = said.iter().any(|text| text.contains("http://127.0.0.1:1"));
            assert!(is_told, "{agent:?}");
        }
    }
}
