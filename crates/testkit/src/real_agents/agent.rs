//! The agents there are.

use serde_json::json;

use crate::model_server::Turn;

/// An agent that can be installed and run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
}

impl Agent {
    /// All of them.
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

    /// A model that it knows by this name and that takes plain tool calls.
    pub fn model(self) -> &'static str {
        match self {
            Self::Claude => "sonnet",
            // Newer ones call their tools from JavaScript.
            Self::Codex => "gpt-5.5",
            Self::Gemini => "gemini-2.5-pro",
            Self::Opencode => "scripted/model",
        }
    }
}

impl Turn {
    /// Asks for a command line to be run, by the tool that the agent has for it.
    #[must_use]
    pub fn shell(self, agent: Agent, command: &str) -> Self {
        match agent {
            Agent::Claude => self.tool("Bash", json!({ "command": command })),
            Agent::Codex => self.tool("exec_command", json!({ "cmd": command })),
            Agent::Gemini => self.tool("run_shell_command", json!({ "command": command })),
            Agent::Opencode => {
                self.tool("bash", json!({ "command": command, "description": "a command" }))
            }
        }
    }
}
