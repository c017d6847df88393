//! The supported agents, and how each is pointed at a server.

mod agent_environment;
mod claude;
mod codex;
mod gemini;
mod opencode;

use std::io;
use std::path::Path;

use serde_json::Value;

use crate::model_turn::ModelTurn;
use crate::protocol::ModelProtocol;
use agent_environment::AgentEnvironment;

/// An agent that can be pointed at a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentClient {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

/// The facts about an agent.
struct AgentClientSpec {
    name: &'static str,
    model: &'static str,
    protocol: ModelProtocol,
    /// Its shell tool.
    shell: &'static str,
    /// The input of the shell tool for a command.
    shell_input: fn(&str) -> Value,
    /// Points it at the server with this URL.
    set_up: fn(&mut AgentEnvironment, &str) -> io::Result<()>,
}

impl AgentClient {
    /// All agents.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    fn spec(self) -> &'static AgentClientSpec {
        match self {
            Self::Claude => &claude::SPEC,
            Self::Codex => &codex::SPEC,
            Self::Gemini => &gemini::SPEC,
            Self::Opencode => &opencode::SPEC,
        }
    }

    /// The name of its program.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// A model that it knows by this name and that uses plain tool calls.
    pub fn model(self) -> &'static str {
        self.spec().model
    }

    pub(crate) fn protocol(self) -> ModelProtocol {
        self.spec().protocol
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
        (self.spec().set_up)(&mut surroundings, url)?;
        Ok(surroundings.into_variables())
    }
}

impl ModelTurn {
    /// Adds a call of the agent's shell tool.
    #[must_use]
    pub fn shell(self, agent: AgentClient, command: &str) -> Self {
        let AgentClientSpec { shell, shell_input, .. } = *agent.spec();
        self.tool(shell, shell_input(command))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_agent_gets_the_server_address_and_its_own_home() {
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
            let mut values: Vec<String> =
                variables.iter().map(|(_, value)| value.clone()).collect();
            values.extend(settings.iter().flat_map(|file| fs::read_to_string(home.join(file))));
            let has_address = values.iter().any(|text| text.contains("http://127.0.0.1:1"));
            assert!(has_address, "{agent:?}");
        }
    }
}
