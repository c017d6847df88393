//! Gemini CLI.

use std::io;

use serde_json::json;

use super::agent_environment::AgentEnvironment;

pub(super) fn set_up(surroundings: &mut AgentEnvironment, url: &str) -> io::Result<()> {
    let settings = json!({
        // Without it there is no telling which of several ways to log in is meant.
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "privacy": { "usageStatisticsEnabled": false },
        // Two attempts: tests wait for the second one. By default it goes on for minutes.
        "general": { "enableAutoUpdate": false, "maxAttempts": 2 },
    });
    surroundings.write(".gemini", "settings.json", &settings.to_string())?;
    surroundings.set("GOOGLE_GEMINI_BASE_URL", url);
    surroundings.set("GEMINI_API_KEY", "dummy");
    Ok(())
}
