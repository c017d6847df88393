//! Finds links in documents to missing headings.

use crate::links::{links, resolved};
use crate::workspace::finding::Finding;

/// The links in a document to missing headings, in itself or in another document. Files that are
/// not documents are ignored.
pub(crate) fn findings(
    path: &str,
    text: &str,
    document: &impl Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let missing = |(line, target): (usize, &str)| {
        let (_, anchor) = target.trim_end_matches('>').split_once('#')?;
        if target.contains("://") {
            return None;
        }
        let headings = match resolved(path, target) {
            None => anchors(text),
            Some(file) => anchors(&document(&file)?),
        };
        let message = format!("the link to `{target}` points at no heading");
        (!headings.iter().any(|heading| heading == anchor)).then(|| Finding {
            path: path.to_owned(),
            line,
            message,
        })
    };
    links(text).into_iter().filter_map(missing).collect()
}

/// What the headings of a document are called in links.
fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let level = line.len() - line.trim_start_matches('#').len();
        let Some(title) = line[level..].strip_prefix(' ').filter(|_| level > 0 && !in_code) else {
            continue;
        };
        let name = anchor(title);
        let earlier = found.iter().filter(|known| **known == name).count();
        found.push(if earlier == 0 { name } else { format!("{name}-{earlier}") });
    }
    found
}

/// A title in lower case, with hyphens for spaces and without punctuation. Of a link only the text
/// counts.
fn anchor(title: &str) -> String {
    let mut text = String::new();
    let mut rest = title;
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let other = "# The other page\n\n## What `it` does, and why\n\n## Twice\n\n## Twice\n";
        let document = |path: &str| (path == "docs/other.md").then(|| other.to_owned());
        findings("docs/x.md", text, &document).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn links_to_missing_headings_are_caught() {
        assert_eq!(lines("# Here\n[a](#here) [b](#there)\n"), [2]);
        assert_eq!(lines("[a](other.md#twice)\n[b](other.md#thrice)\n"), [2]);
        assert_eq!(lines("[a](other.md#twice-1) [b](other.md#twice-2)\n"), [1]);
    }

    #[test]
    fn headings_are_called_as_in_a_browser() {
        assert!(
            lines("[a](other.md#what-it-does-and-why) [b](other.md#the-other-page)").is_empty()
        );
        assert_eq!(anchor("[A link](a.md) and *more*"), "a-link-and-more");
    }

    #[test]
    fn code_is_no_heading_and_other_links_are_left_alone() {
        assert_eq!(lines("```sh\n# comment\n```\n[a](#comment)\n"), [4]);
        assert!(lines("[w](https://example.com/#x) [s](chains.schema.json#y)\n").is_empty());
    }
}
