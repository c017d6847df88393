//! Claude Code.

use std::io;

use super::agent_environment::AgentEnvironment;

pub(super) fn set_up(surroundings: &mut AgentEnvironment, url: &str) -> io::Result<()> {
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
