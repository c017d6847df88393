//! The oldest supported version of Rust is the same everywhere.

use crate::workspace::finding::Finding;

/// Where the version is decided. The workflow reads it from there.
pub(crate) const MANIFEST: &str = "Cargo.toml";

/// The files that repeat it.
const FILES: &[&str] =
    &["Dockerfile", "README.md", "CONTRIBUTING.md", "docs/install.md", "fuzz/Cargo.toml"];

/// The words in front of a version.
const WORDS: &[&str] = &["Rust ", "rust:", "rust-version = \""];

pub(crate) fn repeats_it(path: &str) -> bool {
    FILES.contains(&path)
}

/// The version in a manifest.
pub(crate) fn of_manifest(text: &str) -> Option<&str> {
    versions(text).next().map(|(_, version)| version)
}

pub(crate) fn findings(path: &str, text: &str, expected: &str) -> Vec<Finding> {
    let others = versions(text).filter(|(_, version)| *version != expected);
    let finding = |(line, version)| {
        let message = format!("Rust {version}, but `rust-version` in {MANIFEST} is {expected}");
        Finding { path: path.to_owned(), line, message }
    };
    others.map(finding).collect()
}

/// Every version such as `1.91` after one of the words, with its line.
fn versions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        let behind = WORDS.iter().flat_map(|word| line.split(word).skip(1));
        behind.filter_map(version).map(move |version| (index + 1, version))
    })
}

fn version(text: &str) -> Option<&str> {
    let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
    let version = text[..end].trim_end_matches('.');
    version.starts_with("1.").then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_caught_and_the_same_one_is_not() {
        let text = "FROM rust:1.90-alpine\nRust and Rust 1.91.\nRust 1.91 or Rust 1.92\nrust-version = \"1.91\"\n";
        let found: Vec<usize> = findings("x", text, "1.91").iter().map(|f| f.line).collect();
        assert_eq!(found, [1, 3]);
    }

    #[test]
    fn the_manifest_decides() {
        assert_eq!(of_manifest("edition = \"2024\"\nrust-version = \"1.91\"\n"), Some("1.91"));
        assert_eq!(of_manifest("rust-version.workspace = true\n"), None);
    }
}
