//! The program starts threads with `thread::Builder`, which returns an error where the limit of
//! processes is reached. `thread::spawn` and `Scope::spawn` panic there.

use proc_macro2::TokenTree;

use crate::unfinished::first_test_line;
use crate::workspace::finding::Finding;
use crate::workspace::imports::{imports, resolved};
use crate::workspace::paths::mentions;
use crate::workspace::source::Source;
use crate::workspace::tokens::{for_each_level, is_punct};

/// The crates of the program.
const SHIPPED: &[&str] = &["forkhestra", "forge-tasks", "typeset", "model-server"];

/// The usual names of a `thread::Scope`.
const SCOPES: &[&str] = &["scope", "s"];

pub(crate) fn applies_to(source: &Source) -> bool {
    let mut folders = source.path.split('/').skip(1);
    let is_shipped = folders
        .next()
        .is_some_and(|name| SHIPPED.contains(&name) || name.starts_with("forkhestra-"));
    is_shipped && folders.next() == Some("src") && !source.path.ends_with("/tests.rs")
}

pub(crate) fn findings(source: &Source) -> Vec<Finding> {
    let imports = imports(&source.file);
    let first_test_line = first_test_line(source).unwrap_or(usize::MAX);
    let is_spawn = |path: &Vec<String>| path.join("::").ends_with("thread::spawn");
    let mentions = mentions(&source.tokens).into_iter();
    let mut lines: Vec<usize> = mentions
        .filter(|mention| resolved(&mention.segments, &imports).iter().any(is_spawn))
        .map(|mention| mention.line)
        .chain(scoped_lines(source))
        .filter(|line| *line < first_test_line)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let finding = |line| {
        source.finding(line, "a thread that cannot be started panics; use `thread::Builder`")
    };
    lines.into_iter().map(finding).collect()
}

/// Lines with `scope.spawn`.
fn scoped_lines(source: &Source) -> Vec<usize> {
    let mut lines = Vec::new();
    for_each_level(&source.tokens, &mut |level| {
        for part in level.windows(3) {
            let [TokenTree::Ident(scope), dot, TokenTree::Ident(spawn)] = part else { continue };
            let is_scope = SCOPES.iter().any(|name| scope == name);
            if is_scope && is_punct(Some(dot), '.') && spawn == "spawn" {
                lines.push(spawn.span().start().line);
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let source = Source::example("crates/forkhestra/src/a.rs", text);
        findings(&source).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn functions_that_panic_are_caught() {
        assert_eq!(lines("fn f() {\n    std::thread::spawn(g);\n}"), [2]);
        assert_eq!(lines("use std::thread;\nfn f() { thread::spawn(g); }"), [2]);
        assert_eq!(lines("fn f() { thread::scope(|scope| {\n scope.spawn(g); }) }"), [2]);
        assert!(lines("fn f() { thread::Builder::new().spawn(g)?; command.spawn()?; }").is_empty());
        assert!(lines("#[cfg(test)]\nmod tests { fn f() { std::thread::spawn(g); } }").is_empty());
    }

    #[test]
    fn only_the_program_is_searched() {
        let applies = |path| applies_to(&Source::example(path, ""));
        assert!(applies("crates/forkhestra-engine/src/a.rs"));
        assert!(applies("crates/model-server/src/a.rs"));
        assert!(!applies("crates/forkhestra/tests/it/a.rs"));
        assert!(!applies("crates/forkhestra-store/src/control/tests.rs"));
        assert!(!applies("crates/proofs/src/a.rs"));
    }
}
