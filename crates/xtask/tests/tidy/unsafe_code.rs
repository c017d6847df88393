//! Unsafe code is allowed only where processes, sandboxes and signals are handled.

use crate::workspace::finding::Finding;
use crate::workspace::source::Source;
use crate::workspace::tokens::identifiers;

/// The path prefixes where unsafe code is allowed.
const UNSAFE_DIRECTORIES: &[&str] = &[
    "crates/forkhestra-engine/src/process",
    "crates/forkhestra-engine/src/sandbox",
    "crates/forkhestra-engine/src/signal",
];

pub(crate) fn findings(source: &Source) -> Vec<Finding> {
    if UNSAFE_DIRECTORIES.iter().any(|room| source.path.starts_with(room)) {
        return Vec::new();
    }
    identifiers(&source.tokens)
        .iter()
        .filter(|ident| *ident == "unsafe")
        .map(|ident| {
            let line = ident.span().start().line;
            source.finding(line, "unsafe code outside the rooms that may have it")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_is_caught_outside_its_rooms() {
        let text = "fn f() {\n    unsafe { g() }\n}\nm!(unsafe { g() });";
        let in_file = |path| -> Vec<usize> {
            let source = Source::example(path, text);
            findings(&source).iter().map(|finding| finding.line).collect()
        };
        assert_eq!(in_file("crates/forkhestra/src/main.rs"), [2, 4]);
        assert_eq!(in_file("crates/forkhestra-engine/src/unit.rs"), [2, 4]);
        assert!(in_file("crates/forkhestra-engine/src/process/unix.rs").is_empty());
        assert!(in_file("crates/forkhestra-engine/src/sandbox/landlock.rs").is_empty());
        assert!(in_file("crates/forkhestra-engine/src/signal.rs").is_empty());
    }

    #[test]
    fn the_word_by_itself_is_fine() {
        let source = Source::example("x.rs", "// unsafe\nconst X: &str = \"unsafe\";");
        assert!(findings(&source).is_empty());
    }
}
