//! The prompts of the built-in agents, to be changed.

use forkhestra_core::built_in::{AGENTS, BuiltInAgent};
use forkhestra_core::config::Backend;

/// Where prompts are kept.
const PROMPTS: &str = "forge/orch/prompts";

/// The files with the prompts.
pub(super) fn files() -> impl Iterator<Item = (String, &'static str)> {
    AGENTS.iter().map(|agent| (file(agent), agent.prompt))
}

/// The entries of the config file that name them.
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

/// What the agent is without a config file, written out.
fn entry(agent: &BuiltInAgent, backend: Backend) -> String {
    let mut members = vec![
        format!("\"systemPrompt\": \"{}\"", file(agent)),
        format!("\"backend\": \"{}\"", backend.program()),
        format!("\"maxTurns\": {}", agent.max_turns),
    ];
    members.extend(agent.model(backend).map(|model| format!("\"model\": \"{model}\"")));
    members.extend(agent.allowed_tools(backend).map(|tools| {
        let tools: Vec<String> = tools.iter().map(|tool| format!("\"{tool}\"")).collect();
        format!("\"allowedTools\": [{}]", tools.join(", "))
    }));
    let members: String = members.iter().map(|member| format!("      {member},\n")).collect();
    format!("    \"{}\": {{\n{members}    }},\n", agent.name)
}
