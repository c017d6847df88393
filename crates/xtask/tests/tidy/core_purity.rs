//! The core is pure: no IO, no clock, no environment, no printing.

use crate::workspace::finding::Finding;
use crate::workspace::imports::{Import, imports, resolved};
use crate::workspace::paths::{Mention, mentions};
use crate::workspace::source::Source;

/// Paths that the core must not use, including everything below them.
const FORBIDDEN: &[&str] = &[
    "tokio",
    "std::env",
    "std::fs",
    "std::io::stderr",
    "std::io::stdin",
    "std::io::stdout",
    "std::net",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
];

const FORBIDDEN_MACROS: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];

/// Every path of jiff with this last segment reads the clock: `Timestamp::now`, `Zoned::now` and
/// similar.
const CLOCK_CRATE: &str = "jiff";
const CLOCK_CALL: &str = "now";

pub(crate) fn applies_to(source: &Source) -> bool {
    source.path.starts_with("crates/forkhestra-core/src/")
}

pub(crate) fn findings(source: &Source) -> Vec<Finding> {
    let imports = imports(&source.file);
    let imported =
        imports.iter().filter_map(|import| Some((import.line, imported_problem(import)?)));
    let mentions = mentions(&source.tokens);
    let mentioned = mentions
        .iter()
        .filter_map(|mention| Some((mention.line, mentioned_problem(mention, &imports)?)));
    let mut lines: Vec<(usize, String)> = imported.chain(mentioned).collect();
    lines.sort();
    lines.dedup();
    lines
        .into_iter()
        .map(|(line, what)| source.finding(line, format!("the core must not use {what}")))
        .collect()
}

fn imported_problem(import: &Import) -> Option<String> {
    let path = import.segments.join("::");
    // A `*` may import a forbidden path; the core is small enough to name its imports.
    let hides = |forbidden: &&&str| import.name.is_none() && is_within(forbidden, &path);
    let brings = |forbidden: &&&str| is_within(&path, forbidden);
    FORBIDDEN
        .iter()
        .find(|forbidden| brings(forbidden) || hides(forbidden))
        .map(|forbidden| format!("`{forbidden}`"))
}

fn mentioned_problem(mention: &Mention, imports: &[Import]) -> Option<String> {
    let last = mention.segments.last()?;
    if mention.is_macro && FORBIDDEN_MACROS.contains(&last.as_str()) {
        return Some(format!("`{last}!`"));
    }
    // A single name is a variable, a method or a field; an import of it is checked where it is
    // imported.
    if mention.segments.len() == 1 {
        return None;
    }
    resolved(&mention.segments, imports).iter().find_map(|path| forbidden_path(path))
}

fn forbidden_path(segments: &[String]) -> Option<String> {
    let path = segments.join("::");
    let asks_the_clock = segments.first().is_some_and(|first| first == CLOCK_CRATE)
        && segments.last().is_some_and(|last| last == CLOCK_CALL);
    if asks_the_clock {
        return Some(format!("`{path}`"));
    }
    FORBIDDEN
        .iter()
        .find(|forbidden| is_within(&path, forbidden))
        .map(|forbidden| format!("`{forbidden}`"))
}

/// Whether a path is another one or below it.
fn is_within(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let source = Source::example("crates/forkhestra-core/src/x.rs", text);
        findings(&source)
            .into_iter()
            .map(|finding| format!("{}: {}", finding.line, finding.message))
            .collect()
    }

    fn is_caught(text: &str) {
        assert!(!lines(text).is_empty(), "not caught: {text}");
    }

    fn is_fine(text: &str) {
        assert_eq!(lines(text), [""; 0], "{text}");
    }

    #[test]
    fn only_the_core_is_asked_to_be_pure() {
        assert!(applies_to(&Source::example("crates/forkhestra-core/src/a/b.rs", "")));
        assert!(!applies_to(&Source::example("crates/forkhestra/src/main.rs", "")));
        assert!(!applies_to(&Source::example("crates/forkhestra-core/tests/it/main.rs", "")));
    }

    #[test]
    fn imports_of_forbidden_modules_are_caught_with_their_line() {
        assert_eq!(
            lines("use std::fmt;\nuse std::{fs, io::{self, stdin}};"),
            ["2: the core must not use `std::fs`", "2: the core must not use `std::io::stdin`"]
        );
        is_caught("use std::process::Command;");
        is_caught("use tokio as runtime;");
        is_caught("extern crate tokio;");
        is_caught("fn f() { use std::env::{self, args}; }");
        is_caught("pub use std::net::IpAddr;");
    }

    #[test]
    fn full_paths_and_paths_through_imports_are_caught() {
        is_caught("fn f() { std::fs::read(\"x\"); }");
        is_caught("fn f() { ::std::thread::yield_now(); }");
        is_caught("use std::io; fn f() { io::stdout(); }");
        is_caught("use std as s; fn f() { s::env::args(); }");
        is_caught("use std::time; fn f() -> time::Instant { time::Instant::now() }");
        is_caught("fn f(at: std::time::SystemTime) {}");
        is_caught("fn f() { vec![std::env::args()]; }");
    }

    #[test]
    fn a_star_that_hides_forbidden_names_is_caught() {
        is_caught("use std::*;");
        is_caught("use std::time::*;");
        is_caught("use std::fs::*;");
        is_fine("use std::collections::*;");
        is_fine("use super::*;");
    }

    #[test]
    fn asking_for_the_time_is_caught() {
        is_caught("fn f() { jiff::Timestamp::now(); }");
        is_caught("use jiff::Zoned; fn f() { Zoned::now(); }");
        is_caught("use jiff::Timestamp as T; fn f() { T::now(); }");
        is_caught("use jiff::tz; fn f() { tz::clock::now(); }");
        is_fine("use jiff::Timestamp; fn f(now: Timestamp) -> Timestamp { now }");
    }

    #[test]
    fn printing_is_caught() {
        for name in FORBIDDEN_MACROS {
            is_caught(&format!("fn f() {{ {name}!(\"x\"); }}"));
            is_caught(&format!("fn f() {{ std::{name}!(\"x\"); }}"));
        }
        is_fine("fn f() { writeln!(out, \"x\"); }");
    }

    #[test]
    fn pure_code_is_left_alone() {
        is_fine("use std::io; fn f() -> io::Result<()> { Err(io::Error::other(\"x\")) }");
        is_fine("use std::time::Duration; fn f(d: Duration) {}");
        is_fine("use crate::time::Instant; fn f(i: Instant) {}");
        is_fine("// std::fs and println! in a comment\nconst X: &str = \"std::env\";");
        is_fine("fn f(env: Env) { env.fs.process(); let tokio = 1; }");
        is_fine("use std::environment::X;");
    }
}
