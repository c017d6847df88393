//! Finds pages that the book omits, and links that leave it.

use crate::links::{links, resolved};
use crate::workspace::finding::Finding;

/// The table of contents of the book.
pub(crate) const SUMMARY: &str = "docs/SUMMARY.md";

/// The first page of the book, with a table of all pages.
pub(crate) const INTRODUCTION: &str = "docs/README.md";

/// Whether a file is a page of the book.
pub(crate) fn is_page(path: &str) -> bool {
    path.starts_with("docs/") && path.ends_with(".md") && path != SUMMARY
}

/// The pages that the table of contents does not name, or names more than once.
pub(crate) fn findings(summary: &str, pages: &[String]) -> Vec<Finding> {
    let named: Vec<(usize, String)> = links(summary)
        .into_iter()
        .filter_map(|(line, target)| Some((line, resolved(SUMMARY, target)?)))
        .collect();
    let finding = |line, message| Finding { path: SUMMARY.to_owned(), line, message };
    let missing = pages.iter().filter(|page| !named.iter().any(|(_, path)| path == *page));
    let missing = missing.map(|page| finding(1, format!("`{page}` is not in the book")));
    let again = |(index, (line, path)): (usize, &(usize, String))| {
        let before = named[..index].iter().any(|(_, earlier)| earlier == path);
        before.then(|| finding(*line, format!("`{path}` is in the book twice")))
    };
    missing.chain(named.iter().enumerate().filter_map(again)).collect()
}

/// The pages that the introduction does not name.
pub(crate) fn unnamed(introduction: &str, pages: &[String]) -> Vec<Finding> {
    let named = links(introduction).into_iter();
    let named: Vec<String> =
        named.filter_map(|(_, target)| resolved(INTRODUCTION, target)).collect();
    let is_missing = |page: &&String| *page != INTRODUCTION && !named.contains(page);
    let finding = |page: &String| {
        let message = format!("`{page}` is not in the table of pages");
        Finding { path: INTRODUCTION.to_owned(), line: 1, message }
    };
    pages.iter().filter(is_missing).map(finding).collect()
}

/// The links in a page that lead out of the book, where they would be dead.
pub(crate) fn ways_out(path: &str, text: &str) -> Vec<Finding> {
    let out = |(line, target): (usize, &str)| {
        let file = resolved(path, target)?;
        let message = format!("the link to `{target}` leads out of the book");
        (!file.starts_with("docs/")).then(|| Finding { path: path.to_owned(), line, message })
    };
    links(text).into_iter().filter_map(out).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(summary: &str) -> Vec<String> {
        let pages = ["docs/README.md".to_owned(), "docs/a.md".to_owned()];
        findings(summary, &pages).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_page_is_in_the_book_once() {
        assert!(messages("# Summary\n\n[Intro](README.md)\n\n- [A](a.md)\n").is_empty());
        assert_eq!(
            messages("[Intro](README.md)\n"),
            ["docs/SUMMARY.md:1: `docs/a.md` is not in the book"]
        );
        assert_eq!(
            messages("[Intro](README.md)\n- [A](a.md)\n- [B](./a.md)\n"),
            ["docs/SUMMARY.md:3: `docs/a.md` is in the book twice"]
        );
    }

    #[test]
    fn the_introduction_names_every_other_page() {
        let pages = ["docs/README.md", "docs/a.md", "docs/b-reference.md"].map(str::to_owned);
        let messages = |text| -> Vec<String> {
            unnamed(text, &pages).iter().map(ToString::to_string).collect()
        };
        assert!(messages("| [a.md](a.md) | a |\n| [b](b-reference.md) | b |\n").is_empty());
        assert_eq!(
            messages("a.md [b](b-reference.md)\n"),
            ["docs/README.md:1: `docs/a.md` is not in the table of pages"]
        );
    }

    #[test]
    fn links_out_of_the_book_are_caught() {
        let text = "[a](a.md) [b](schemas/b.json) [c](https://example.com)\n[d](../README.md)\n";
        let lines: Vec<usize> = ways_out("docs/x.md", text).iter().map(|f| f.line).collect();
        assert_eq!(lines, [2]);
    }

    #[test]
    fn pages_are_documents_other_than_the_table_itself() {
        assert!(is_page("docs/cli.md"));
        assert!(!is_page("docs/SUMMARY.md"));
        assert!(!is_page("docs/chains.schema.json"));
        assert!(!is_page("README.md"));
    }
}
