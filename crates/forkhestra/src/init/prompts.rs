//! The prompts of the built-in agents as files that the user can edit.

use forkhestra_core::built_in::{AGENTS, BuiltInAgent};
use forkhestra_core::config::Backend;

/// The directory of the prompts.
const PROMPTS: &str = "forge/orch/prompts";

/// The prompt files with their content.
pub(super) fn files() -> impl Iterator<Item = (String, &'static str)> {
    AGENTS.iter().map(|agent| (file(agent), agent.prompt))
}

/// The config entries that refer to the prompt files.
pub(super) fn agents(backend: Backend) -> String {
    let entries: String = AGENTS.iter().map(|agent| entry(agent, backend)).collect();
    format!(
        "  // The built-in agents, with prompts that can be changed. They are read anew for every\n  \
         // iteration.\n  \"agents\": {{\n{entries}  }},\n\n"
    )
}

fn file(agent: &BuiltInAgent) -> String {
    format!("{PROMPTS}/{}.md", agent.name)
}

/// The config entry that equals the built-in definition of the agent.
fn entry(agent: &BuiltInAgent, backend: Backend) -> String {
    let mut members = vec![
        format!("\"systemPrompt\": \"{}\"", file(agent)),
        format!("\"backend\": \"{}\"", backend.program()),
        format!("\"maxTurns\": {}", agent.max_turns),
    ];
    let model = backend.facts().models.built_in;
    members.extend(model.map(|model| format!("\"model\": \"{model}\"")));
    members.extend(agent.allowed_tools(backend).map(|tools| {
        let tools: Vec<String> = tools.iter().map(|tool| format!("\"{tool}\"")).collect();
        format!("\"allowedTools\": [{}]", tools.join(", "))
    }));
    let members: String = members.iter().map(|member| format!("      {member},\n")).collect();
    format!("    \"{}\": {{\n{members}    }},\n", agent.name)
}
