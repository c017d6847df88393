//! Gemini CLI.

use std::io;

use serde_json::json;

use super::AgentClientSpec;
use super::agent_environment::AgentEnvironment;
use crate::protocol::ModelProtocol;

pub(super) const SPEC: AgentClientSpec = AgentClientSpec {
    name: "gemini",
    model: "gemini-2.5-pro",
    protocol: ModelProtocol::Gemini,
    shell: "run_shell_command",
    shell_input: |command| json!({ "command": command }),
    set_up,
};

fn set_up(surroundings: &mut AgentEnvironment, url: &str) -> io::Result<()> {
    let settings = json!({
        // Without it the login method is ambiguous.
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "privacy": { "usageStatisticsEnabled": false },
        // Tests wait for each attempt. By default it retries for minutes.
        "general": { "enableAutoUpdate": false, "maxAttempts": 2 },
    });
    surroundings.write(".gemini", "settings.json", &settings.to_string())?;
    surroundings.set("GOOGLE_GEMINI_BASE_URL", url);
    surroundings.set("GEMINI_API_KEY", "dummy");
    Ok(())
}
