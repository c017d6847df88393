//! Recognises the kind of a project by its files.

use std::path::Path;

/// Files with the test command they imply, in order of preference.
const KINDS: [(&str, &str); 7] = [
    ("Cargo.toml", "cargo test"),
    ("go.mod", "go test ./..."),
    ("deno.json", "deno test"),
    ("bun.lock", "bun test"),
    ("package.json", "npm test"),
    ("pyproject.toml", "python -m pytest"),
    ("Makefile", "make test"),
];

/// The command that tests the project in this directory, if it is recognised.
pub(crate) fn test_command(directory: &Path) -> Option<&'static str> {
    let known = KINDS.iter().find(|(file, _)| directory.join(file).is_file());
    known.map(|(_, command)| *command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_file_decides_the_test_command() {
        let directory = tempfile::tempdir().expect("there is room");
        assert_eq!(test_command(directory.path()), None);
        for (file, command) in KINDS.iter().rev() {
            std::fs::write(directory.path().join(file), "").expect("the place is ours");
            assert_eq!(test_command(directory.path()), Some(*command));
        }
    }
}
