//! opencode.

use std::io;

use serde_json::json;

use super::AgentClientSpec;
use super::agent_environment::AgentEnvironment;
use crate::protocol::ModelProtocol;

const MODEL: &str = "scripted/model";

pub(super) const SPEC: AgentClientSpec = AgentClientSpec {
    name: "opencode",
    model: MODEL,
    protocol: ModelProtocol::Chat,
    shell: "bash",
    shell_input: |command| json!({ "command": command, "description": "a command" }),
    set_up,
};

/// The settings go into a file: the variable for them is left to the caller.
fn set_up(surroundings: &mut AgentEnvironment, url: &str) -> io::Result<()> {
    let model = json!({
        "name": "model",
        "limit": { "context": 200_000, "output": 8000 },
        "cost": { "input": 3, "output": 15, "cache_read": 0.3 },
    });
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": { "baseURL": format!("{url}/v1"), "apiKey": "dummy" },
        "models": { "model": model },
    });
    let config = json!({
        "model": MODEL,
        "autoupdate": false,
        "share": "disabled",
        "provider": { "scripted": provider },
    });
    surroundings.write(".config/opencode", "opencode.json", &config.to_string())?;
    surroundings.set("OPENCODE_DISABLE_AUTOUPDATE", "1");
    surroundings.set("OPENCODE_DISABLE_MODELS_FETCH", "1");
    // The model is in the settings. To read the catalogue of all models takes a third of a start.
    let directory = surroundings.write(".config/opencode", "models.json", "{}")?;
    surroundings.set("OPENCODE_MODELS_PATH", &format!("{directory}/models.json"));
    // It installs a package in the background, and works without it.
    surroundings.set("npm_config_offline", "true");
    surroundings.set("npm_config_registry", "http://127.0.0.1:9");
    Ok(())
}
