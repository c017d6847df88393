//! A word without a count, a prompt or arguments that is a program of the system: probably a verb of
//! another program, and never an agent.

use forkhestra_core::config::Backend;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{Location, Origin, Plan, Request, is_system_program};

use crate::report::shell_word::shell_word;
use crate::verbs;

/// Agent programs that may be installed where the system's programs are, beside those that are known
/// better.
const AGENT_PROGRAMS: [&str; 10] = [
    "aider",
    "amp",
    "auggie",
    "copilot",
    "crush",
    "cursor-agent",
    "droid",
    "goose",
    "kiro-cli",
    "qwen",
];

/// What stands against running a system program that was named by a bare word.
pub(crate) fn of_bare_word(request: &Request, plan: &Plan) -> Option<Diagnostic> {
    let word = request.bare_word()?;
    let [step] = plan.steps.as_slice() else { return None };
    let Location::Found(path) = step.agent.kind.location() else { return None };
    let is_agent =
        AGENT_PROGRAMS.contains(&word) || Backend::ALL.iter().any(|b| b.program() == word);
    if step.agent.source != Origin::Path || !is_system_program(path) || is_agent {
        return None;
    }
    let verb = verbs::meant(word).map(|verb| format!("did you mean `forkhestra {verb}`?"));
    Some(
        Diagnostic::error(format!("`{word}` is not an agent, but a system program ({path})"))
            .maybe_hint(verb)
            .hint(format!("to run the program as an agent: forkhestra run {}", shell_word(word))),
    )
}
