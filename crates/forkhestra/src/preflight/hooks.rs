//! Finds hooks whose program does not exist.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{
    FileState, HostEnvironment, NotRunnableReason, Plan, PlanHook, ProgramLocation,
};

/// Characters with a special meaning in a shell.
const SHELL_CHARACTERS: &str = "$`\\\"'~*?[]{}()<>|&;=#!";

/// Reports every hook whose command starts with a path that cannot be run.
pub(super) fn problems(plan: &Plan, host: &impl HostEnvironment) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> = Vec::new();
    for hook in &plan.hooks {
        let problem = problem(&hook.value, host);
        // The same script may be used by several hooks.
        problems.extend(problem.filter(|problem| !problems.contains(problem)));
    }
    problems
}

fn problem(hook: &PlanHook, host: &impl HostEnvironment) -> Option<Diagnostic> {
    let is_script = hook.run.contains('/') && host.file(&hook.run) == FileState::Readable;
    if is_script && hook.run.ends_with(".sh") {
        // A shell reads the script, so it need not be executable.
        return None;
    }
    let path = if is_script { hook.run.as_str() } else { path_of(&hook.run)? };
    let ProgramLocation::Missing(why) = host.locate(path) else { return None };
    let error = Diagnostic::error(format!("hook {}: `{path}` {why}", hook.on));
    Some(match why {
        NotRunnableReason::NotExecutable => {
            error.hint(format!("make it executable: chmod +x {path}"))
        }
        _ => error.hint("paths of hooks are relative to the working directory"),
    })
}

/// The path at the start of a command, if there is one that a shell would not expand.
fn path_of(command: &str) -> Option<&str> {
    let word = command.split_whitespace().next()?;
    (word.contains('/') && !word.contains(|c| SHELL_CHARACTERS.contains(c))).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_literal_path_of_a_hook_command_is_checked() {
        for (command, expected) in [
            ("./notify.sh", Some("./notify.sh")),
            ("scripts/notify --to me", Some("scripts/notify")),
            ("/usr/bin/true", Some("/usr/bin/true")),
            ("echo a/b", None),
            ("~/notify.sh", None),
            ("$HOME/notify.sh", None),
            ("\"./my scripts/notify\"", None),
            ("NAME=a/b env", None),
            ("./a;./b", None),
            ("", None),
        ] {
            assert_eq!(path_of(command), expected, "{command}");
        }
    }
}
