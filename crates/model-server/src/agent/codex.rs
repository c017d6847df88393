//! Codex.

use std::io;

use serde_json::json;

use super::AgentClientSpec;
use super::agent_environment::AgentEnvironment;
use crate::protocol::ModelProtocol;

/// Newer models call their tools from JavaScript.
const MODEL: &str = "gpt-5.5";

pub(super) const SPEC: AgentClientSpec = AgentClientSpec {
    name: "codex",
    model: MODEL,
    protocol: ModelProtocol::Responses,
    shell: "exec_command",
    shell_input: |command| json!({ "cmd": command }),
    set_up,
};

const KEY: &str = "SCRIPTED_MODEL_KEY";

fn set_up(surroundings: &mut AgentEnvironment, url: &str) -> io::Result<()> {
    let home = surroundings.write(".codex", "config.toml", &config(url))?;
    surroundings.set("CODEX_HOME", &home);
    surroundings.set(KEY, "dummy");
    Ok(())
}

/// Few retries: tests wait for each of them. Both switches are needed for a fast start offline.
fn config(url: &str) -> String {
    format!(
        r#"model = "{MODEL}"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "{KEY}"
request_max_retries = 1
stream_max_retries = 1
"#
    )
}
