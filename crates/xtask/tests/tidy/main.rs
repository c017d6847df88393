//! Repository rules that no compiler checks.
//!
//! Each rule is a file: a pure function from sources to findings, with tests that show it failing.
//! The tests here apply the rules to the repository.

#![expect(
    clippy::print_stdout,
    reason = "the largest files and functions are meant to be looked at"
)]

mod core_purity;
mod dependencies;
mod dockerfile;
mod documents;
mod folder_size;
mod item_docs;
mod largest;
mod links;
mod reached;
mod rust_version;
mod thread_start;
mod type_names;
mod unfinished;
mod unsafe_code;
mod wiring;
mod workflows;
mod workspace;

use crate::documents::{book, promises};
use crate::workspace::finding::{Finding, expect_none};
use crate::workspace::packages::Packages;
use crate::workspace::repository::Repository;
use crate::workspace::source::Source;

/// All rules about Rust files in one test: parsing them takes seconds.
#[test]
fn sources_keep_every_rule() {
    let repository = Repository::open();
    let mut roots = Packages::of_workspace(&repository).roots(&repository);
    roots.extend(Packages::of_fuzz(&repository).roots(&repository));
    let sources = repository.rust_sources();
    show_largest(&sources);
    let core = sources.iter().filter(|source| core_purity::applies_to(source));
    let mut findings: Vec<Finding> = core.flat_map(core_purity::findings).collect();
    findings.extend(sources.iter().flat_map(unfinished::findings));
    findings.extend(sources.iter().flat_map(unsafe_code::findings));
    findings.extend(reached::findings(&sources, &roots));
    findings.extend(type_names::findings(&sources));
    findings.extend(folder_size::findings(sources.iter().map(|source| source.path.as_str())));
    let threads = sources.iter().filter(|source| thread_start::applies_to(source));
    findings.extend(threads.flat_map(thread_start::findings));
    let wiring = sources.iter().filter(|source| wiring::applies_to(source));
    findings.extend(wiring.flat_map(wiring::findings));
    let documented = sources.iter().filter(|source| item_docs::applies_to(source));
    findings.extend(documented.flat_map(item_docs::findings));
    findings.extend(promises::findings(&repository.text(promises::PAGE), &sources));
    expect_none(findings);
}

fn show_largest(sources: &[Source]) {
    println!("largest files:");
    for file in largest::files(sources).iter().take(10) {
        println!("  {file}");
    }
    println!("largest functions:");
    for function in largest::functions(sources).iter().take(10) {
        println!("  {function}");
    }
}

#[test]
fn no_package_uses_a_forbidden_one() {
    let repository = Repository::open();
    let packages = Packages::of_workspace(&repository);
    expect_none(dependencies::findings(&packages, &repository));
}

#[test]
fn links_in_documents_point_at_files() {
    let repository = Repository::open();
    let documents = repository.texts(links::is_document);
    let exists = |path: &str| repository.root().join(path).exists();
    expect_none(documents.iter().flat_map(|(path, text)| links::findings(path, text, &exists)));
}

#[test]
fn the_image_is_made_of_files_that_are_there() {
    let repository = Repository::open();
    let exists = |path: &str| repository.root().join(path).exists();
    let ignore = repository.text(".dockerignore");
    expect_none(dockerfile::findings(&repository.text("Dockerfile"), &ignore, &exists));
}

#[test]
fn workflows_run_pinned_actions_with_named_permissions() {
    let workflows = Repository::open().texts(workflows::is_workflow);
    assert!(!workflows.is_empty());
    expect_none(workflows.iter().flat_map(|(path, text)| workflows::findings(path, text)));
}

#[test]
fn the_oldest_supported_rust_is_the_same_everywhere() {
    let repository = Repository::open();
    let manifest = repository.text(rust_version::MANIFEST);
    let expected = rust_version::of_manifest(&manifest).expect("the manifest has a version");
    let texts = repository.texts(rust_version::repeats_it);
    let findings =
        texts.iter().flat_map(|(path, text)| rust_version::findings(path, text, expected));
    expect_none(findings);
}

#[test]
fn one_package_installs_all_three_programs() {
    let mut programs = Packages::of_workspace(&Repository::open()).programs("forkhestra");
    programs.sort();
    assert_eq!(programs, ["forge-tasks", "forkhestra", "ralph-runner"]);
}

#[test]
fn links_in_documents_point_at_headings() {
    let repository = Repository::open();
    let documents = repository.texts(links::is_document);
    let document = |path: &str| {
        documents.iter().find(|(known, _)| known == path).map(|(_, text)| text.clone())
    };
    expect_none(
        documents.iter().flat_map(|(path, text)| links::anchors::findings(path, text, &document)),
    );
}

#[test]
fn every_page_is_in_the_book() {
    let repository = Repository::open();
    let pages: Vec<String> =
        repository.texts(book::is_page).into_iter().map(|(path, _)| path).collect();
    expect_none(book::findings(&repository.text(book::SUMMARY), &pages));
}

#[test]
fn the_introduction_names_every_page() {
    let repository = Repository::open();
    let pages: Vec<String> =
        repository.texts(book::is_page).into_iter().map(|(path, _)| path).collect();
    expect_none(book::unnamed(&repository.text(book::INTRODUCTION), &pages));
}

#[test]
fn no_link_leads_out_of_the_book() {
    let pages = Repository::open().texts(book::is_page);
    expect_none(pages.iter().flat_map(|(path, text)| book::ways_out(path, text)));
}
