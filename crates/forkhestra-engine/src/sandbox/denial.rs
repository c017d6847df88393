//! Recognises that a sandbox may have denied something.

use forkhestra_core::plan::SandboxLevel;

/// Texts of programs about a file that cannot be written or found.
const DENIALS: [&str; 6] = [
    "Read-only file system",
    "read-only file system",
    "EROFS",
    "Device or resource busy",
    "could not lock config file",
    "Cannot connect to the Docker daemon",
];

/// Texts that are denials only where Landlock or seatbelt decides.
const PERMISSION_DENIALS: [&str; 4] =
    ["Permission denied", "permission denied", "EACCES", "Operation not permitted"];

/// The hint for a failure whose last output may be a denial by the sandbox. `None` if there is no
/// sign of that.
pub(crate) fn denial_hint(level: SandboxLevel, output: &str) -> Option<String> {
    let word = level.word();
    if let Some(why) = setup_failure(level, output) {
        return Some(format!("the sandbox ({word}) may not have been set up: {why}"));
    }
    let is_guard = level == SandboxLevel::Guard;
    let signs = DENIALS.iter().chain(PERMISSION_DENIALS.iter().filter(|_| is_guard));
    let line = output.lines().rev().find(|line| signs.clone().any(|sign| line.contains(sign)))?;
    let line: String = line.trim().chars().take(200).collect();
    Some(format!(
        "the sandbox ({word}) may have denied this: {line}; `--writable PATH` allows a path, \
         `--sandbox off` turns the sandbox off"
    ))
}

/// The message of bubblewrap, if it is all that was printed.
pub(crate) fn setup_failure(level: SandboxLevel, output: &str) -> Option<&str> {
    let uses_bubblewrap = matches!(level, SandboxLevel::Workspace | SandboxLevel::Strict);
    let message = output.trim().strip_prefix("bwrap: ").filter(|_| uses_bubblewrap)?;
    (!message.contains('\n')).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_that_cannot_be_set_up_is_no_denial() {
        let output = "bwrap: Can't mkdir parents for /x: Read-only file system\n";
        let hint = denial_hint(SandboxLevel::Workspace, output).expect("bubblewrap failed");
        assert!(hint.ends_with("been set up: Can't mkdir parents for /x: Read-only file system"));
        assert_eq!(denial_hint(SandboxLevel::Guard, "bwrap: x"), None);
        assert_eq!(denial_hint(SandboxLevel::Workspace, "bwrap: x\nmore"), None);
    }

    #[test]
    fn only_denials_of_the_level_get_a_hint() {
        let table = [
            (SandboxLevel::Workspace, "mkdir: /opt/x: Read-only file system", true),
            (SandboxLevel::Workspace, "Error: EROFS: read-only file system, open '/x'", true),
            (SandboxLevel::Workspace, "cat: /etc/shadow: Permission denied", false),
            (SandboxLevel::Guard, "touch: /x: Permission denied\nfailed", true),
            (SandboxLevel::Guard, "3 tests failed", false),
            (SandboxLevel::Workspace, "", false),
        ];
        for (level, output, expected) in table {
            let hint = denial_hint(level, output);
            assert_eq!(hint.is_some(), expected, "{output}");
            assert!(hint.is_none_or(|hint| hint.contains("--writable PATH")));
        }
    }
}
