//! Compares the promises of `docs/security.md` with the attacks that test them: every promise names existing tests, and every
//! attack belongs to a promise.

use std::collections::BTreeSet;

use syn::Item;

use crate::workspace::finding::Finding;
use crate::workspace::source::Source;

/// The page with the promises.
pub(crate) const PAGE: &str = "docs/security.md";

/// The folder of the attacks.
const ATTACKS: &str = "crates/forkhestra/tests/attacks/";

/// The places where the page and the tests differ.
pub(crate) fn findings(page: &str, sources: &[Source]) -> Vec<Finding> {
    let mut attacks: BTreeSet<String> = BTreeSet::new();
    let mut findings = Vec::new();
    let named: Vec<(usize, String)> = named_tests(page).collect();
    for source in sources {
        let Some(area) = area(&source.path) else { continue };
        let attacking = tests(&source.file.items).into_iter();
        for (line, test) in attacking.filter(|(_, test)| !test.ends_with(HELPER)) {
            let name = format!("{area}::{test}");
            if !named.iter().any(|(_, named)| *named == name) {
                findings.push(source.finding(line, format!("`{name}` is not in {PAGE}")));
            }
            attacks.insert(name);
        }
    }
    let is_missing = |(_, name): &&(usize, String)| !attacks.contains(name);
    findings.extend(named.iter().filter(is_missing).map(|(line, name)| Finding {
        path: PAGE.to_owned(),
        line: *line,
        message: format!("there is no attack `{name}` in {ATTACKS}"),
    }));
    findings
}

/// The end of the names of tests that only help an attack, in a process of their own.
const HELPER: &str = "_helper";

/// The first component of the path below the folder of the attacks.
fn area(path: &str) -> Option<&str> {
    let below = path.strip_prefix(ATTACKS)?;
    let area = below.split('/').next()?;
    Some(area.strip_suffix(".rs").unwrap_or(area))
}

/// The names of the form `area::test` between backticks, with their lines.
fn named_tests(page: &str) -> impl Iterator<Item = (usize, String)> {
    let is_name = |text: &&str| {
        let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        text.split_once("::").is_some_and(|(area, test)| {
            !area.is_empty() && !test.is_empty() && area.chars().chain(test.chars()).all(letters)
        })
    };
    page.lines().enumerate().flat_map(move |(index, line)| {
        let names = line.split('`').skip(1).step_by(2).filter(is_name);
        names.map(move |name| (index + 1, name.to_owned())).collect::<Vec<_>>()
    })
}

/// The names of the tests among these items and in their modules, with their lines.
fn tests(items: &[Item]) -> Vec<(usize, String)> {
    items
        .iter()
        .flat_map(|item| match item {
            Item::Fn(function) if function.attrs.iter().any(|a| a.path().is_ident("test")) => {
                let ident = &function.sig.ident;
                vec![(ident.span().start().line, ident.to_string())]
            }
            Item::Mod(module) => {
                module.content.as_ref().map_or_else(Vec::new, |(_, items)| tests(items))
            }
            _ => Vec::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(page: &str, path: &str, text: &str) -> Vec<String> {
        let sources = [Source::example(path, text)];
        findings(page, &sources).iter().map(ToString::to_string).collect()
    }

    const ATTACK: &str = "#[test]\nfn one() {}\n#[test]\nfn an_attack_helper() {}\nfn other() {}\n";

    #[test]
    fn every_promise_names_attacks_and_every_attack_has_a_promise() {
        let path = "crates/forkhestra/tests/attacks/git/objects.rs";
        assert!(messages("| holds | `git::one` |\n", path, ATTACK).is_empty());
        assert_eq!(
            messages("\n| holds | `git::two`, `std::fs::File` |\n", path, ATTACK),
            [
                format!("{path}:2: `git::one` is not in docs/security.md"),
                "docs/security.md:2: there is no attack `git::two` in \
                 crates/forkhestra/tests/attacks/"
                    .to_owned()
            ]
        );
    }

    #[test]
    fn tests_elsewhere_are_no_attacks() {
        assert!(messages("", "crates/forkhestra/tests/it/main.rs", ATTACK).is_empty());
    }
}
