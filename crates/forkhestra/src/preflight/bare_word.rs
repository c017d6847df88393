//! Detects a bare word, without a count, a prompt or arguments, that names a system program. It is
//! probably a verb of another program and not an agent.

use forkhestra_core::built_in;
use forkhestra_core::config::{Backend, ConfigLayers};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{Plan, PlanRequest, ProgramLocation, ValueOrigin, is_system_program};

use crate::cli::verbs;
use crate::report::text::shell_word::shell_word;

/// Agent programs that may be installed for all users, in addition to the supported back-ends.
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

/// Directories in which the system and package managers install programs for all users.
const SHARED_DIRECTORIES: [&str; 8] = [
    "/bin/",
    "/home/linuxbrew/",
    "/nix/",
    "/opt/",
    "/run/current-system/",
    "/sbin/",
    "/snap/",
    "/usr/",
];

/// The error for a bare word that names a program installed for all users.
pub(crate) fn check_bare_word(
    request: &PlanRequest,
    plan: &Plan,
    layers: &ConfigLayers,
) -> Option<Diagnostic> {
    let word = request.bare_word()?;
    let [step] = plan.steps.as_slice() else { return None };
    let Some(ProgramLocation::Found(path)) = step.agent.kind.location() else { return None };
    let mut steps = layers.chains().flat_map(|chain| chain.entry.agent_steps());
    let is_in_chain = steps.any(|step| step.agent.value.0 == word);
    if step.agent.source != ValueOrigin::Path || is_in_chain {
        return None;
    }
    refusal(word, path)
}

/// Why the program is probably not meant by the word, if it is not.
fn refusal(word: &str, path: &str) -> Option<Diagnostic> {
    let is_agent = AGENT_PROGRAMS.contains(&word)
        || Backend::ALL.iter().any(|backend| backend.program() == word)
        || built_in::agent(word).is_some();
    let is_shared = SHARED_DIRECTORIES.iter().any(|directory| path.starts_with(directory));
    if is_agent || !is_shared {
        return None;
    }
    let kind = if is_system_program(path) {
        "system program"
    } else {
        "program that is installed for all users"
    };
    let verb = verbs::similar_verb(word).map(|verb| format!("did you mean `forkhestra {verb}`?"));
    Some(
        Diagnostic::error(format!("`{word}` is not a known agent, but a {kind} ({path})"))
            .maybe_hint(verb)
            .hint(format!("to run the program as an agent: forkhestra run {}", shell_word(word))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_word_means_no_system_program_unless_it_is_a_known_agent() {
        for (word, path, expected) in [
            ("git", "/usr/local/bin/git", Some("program that is installed for all users")),
            ("git", "/opt/homebrew/bin/git", Some("program that is installed for all users")),
            ("git", "/nix/store/x/bin/git", Some("program that is installed for all users")),
            ("kill", "/bin/kill", Some("system program")),
            ("tail", "/usr/bin/tail", Some("system program")),
            ("claude", "/usr/local/bin/claude", None),
            ("aider", "/opt/homebrew/bin/aider", None),
            ("planner", "/usr/local/bin/planner", None),
            ("my-agent", "/home/me/bin/my-agent", None),
            ("my-agent", "/srv/project/bin/my-agent", None),
        ] {
            let found = refusal(word, path).map(|refusal| refusal.message);
            let expected = expected
                .map(|kind| format!("`{word}` is not a known agent, but a {kind} ({path})"));
            assert_eq!(found, expected, "{word} {path}");
        }
    }
}
