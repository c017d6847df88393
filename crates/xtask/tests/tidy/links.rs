//! Finds links in documents to missing files.

pub(crate) mod anchors;

use crate::workspace::finding::Finding;

const DOCUMENTS: &[&str] = &[
    "AGENTS.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
];

pub(crate) fn is_document(path: &str) -> bool {
    DOCUMENTS.contains(&path) || (path.starts_with("docs/") && path.ends_with(".md"))
}

/// The links in a document to paths that do not exist.
pub(crate) fn findings(path: &str, text: &str, exists: &impl Fn(&str) -> bool) -> Vec<Finding> {
    links(text)
        .into_iter()
        .filter_map(|(line, target)| Some((line, target, resolved(path, target)?)))
        .filter(|(_, _, file)| !exists(file))
        .map(|(line, target, _)| Finding {
            path: path.to_owned(),
            line,
            message: format!("the link to `{target}` points at nothing"),
        })
        .collect()
}

/// Every link target with its line, outside code: `[text](target)` and `[name]: target`.
pub(crate) fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            found.extend(targets(line).into_iter().map(|target| (index + 1, target)));
        }
    }
    found
}

fn targets(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if line.starts_with('[')
        && let Some((_, target)) = line.split_once("]: ")
    {
        found.extend(first_word(target));
    }
    // Every second piece between backticks is code.
    for piece in line.split('`').step_by(2) {
        let after_texts = piece.split("](").skip(1);
        let inside = after_texts.filter_map(|rest| rest.split_once(')').map(|(inside, _)| inside));
        found.extend(inside.filter_map(first_word));
    }
    found
}

/// A target without the title that may follow it.
fn first_word(target: &str) -> Option<&str> {
    target.split_whitespace().next()
}

/// The file a link means, from the root of the repository, or `None` when it leaves the
/// repository's files.
pub(crate) fn resolved(document: &str, target: &str) -> Option<String> {
    let target = target.trim_start_matches('<').trim_end_matches('>');
    let file = target.split('#').next().filter(|file| !file.is_empty())?;
    if file.contains("://") || file.starts_with("mailto:") {
        return None;
    }
    if let Some(from_root) = file.strip_prefix('/') {
        return Some(from_root.to_owned());
    }
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str, files: &[&str]) -> Vec<usize> {
        let exists = |file: &str| files.contains(&file);
        findings(path, text, &exists).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn documents_are_the_ones_people_read() {
        assert!(is_document("README.md"));
        assert!(is_document("docs/design/run.md"));
        assert!(!is_document("docs/chains.schema.json"));
        assert!(!is_document("crates/some/tests/fixtures/task.md"));
    }

    #[test]
    fn links_to_missing_files_are_caught() {
        let text = "See [a](a.md) and\n[b](b.md), ![c](img/c.png \"C\").\n\n[d]: d.md\n";
        assert_eq!(lines("docs/x.md", text, &[]), [1, 2, 2, 4]);
        let files = ["docs/a.md", "docs/b.md", "docs/img/c.png", "docs/d.md"];
        assert!(lines("docs/x.md", text, &files).is_empty());
    }

    #[test]
    fn links_are_relative_to_their_document() {
        let text = "[up](../README.md#usage) [here](./y.md) [root](/z.md)";
        let files = ["README.md", "docs/y.md", "z.md"];
        assert!(lines("docs/x.md", text, &files).is_empty());
        assert_eq!(lines("x.md", text, &["README.md"]), [1, 1]);
    }

    #[test]
    fn other_links_and_code_are_left_alone() {
        let text = "\
[w](https://example.com/a) [m](mailto:a@b) [s](#section) `[c](d.md)`
```
[e](f.md)
```
";
        assert!(lines("x.md", text, &[]).is_empty());
    }
}
