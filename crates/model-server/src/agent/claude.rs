//! Claude Code.

use std::io;

use serde_json::json;

use super::AgentClientSpec;
use super::agent_environment::AgentEnvironment;
use crate::protocol::ModelProtocol;

pub(super) const SPEC: AgentClientSpec = AgentClientSpec {
    name: "claude",
    model: "sonnet",
    protocol: ModelProtocol::Anthropic,
    shell: "Bash",
    shell_input: |command| json!({ "command": command }),
    set_up,
};

fn set_up(surroundings: &mut AgentEnvironment, url: &str) -> io::Result<()> {
    surroundings.set("ANTHROPIC_BASE_URL", url);
    surroundings.set("ANTHROPIC_API_KEY", "dummy");
    for name in [
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_TELEMETRY",
    ] {
        surroundings.set(name, "1");
    }
    // It ignores `TMPDIR`.
    let temporary = surroundings.temporary();
    surroundings.set("CLAUDE_CODE_TMPDIR", &temporary);
    Ok(())
}
