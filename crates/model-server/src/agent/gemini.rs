//! Gemini CLI.

use std::io;

use serde_json::json;

use super::agent_environment::AgentEnvironment;

pub(super) fn set_up(surroundings: &mut AgentEnvironment, url: &str) -> io::Result<()> {
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
