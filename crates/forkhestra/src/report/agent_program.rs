//! What to do about an agent program that cannot be started.

use forkhestra_core::config::Backend;
use forkhestra_core::plan::{AgentKind, Location, WhyNotRunnable};

/// What to do, if the agent is one that we know, and its program is not there.
pub(crate) fn remedy(kind: &AgentKind) -> Option<String> {
    let (AgentKind::Direct(direct), Location::Missing(why)) = (kind, kind.location()) else {
        return None;
    };
    let variable = direct.backend.path_variable();
    if direct.command != direct.backend.program() {
        let is_there = *why == WhyNotRunnable::NotExecutable;
        return (!is_there).then(|| format!("`{variable}` names it; correct or unset that"));
    }
    let package = match direct.backend {
        Backend::Claude => "@anthropic-ai/claude-code",
        Backend::Codex => "@openai/codex",
        Backend::Gemini => "@google/gemini-cli",
        Backend::Opencode => "opencode-ai",
    };
    let install = format!("install it with `npm install -g {package}`");
    (*why == WhyNotRunnable::NotOnPath)
        .then(|| format!("{install}, or name the program in `{variable}`"))
}
