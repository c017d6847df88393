//! Tests of checkouts of snapshots.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;

use crate::repository::{CheckoutRequest, SnapshotCheckout, SnapshotLocation, SnapshotReader};
use crate::test_project::{TestProject, git, inherited};

struct CheckoutProject {
    project: TestProject,
    reader: SnapshotReader,
    checkout: SnapshotCheckout,
}

impl CheckoutProject {
    fn new(project: TestProject) -> Self {
        let kept = project.beside("run/kept");
        let run = RunId::from_random(1);
        let reader = SnapshotReader::open(SnapshotLocation {
            run: &run,
            directory: &project.work,
            persistent_directory: &kept,
            environment: &inherited(),
        });
        let reader = reader.expect("it is a repository");
        let checkout = SnapshotCheckout::new(&project.beside("search"), &reader, &kept);
        Self { project, reader, checkout }
    }

    /// The tree of all files that are there now.
    fn tree(&self) -> String {
        self.project.git(&["add", "--all"]);
        self.project.git(&["write-tree"]).trim().to_owned()
    }

    #[track_caller]
    fn fill(&mut self, tree: &str) -> PathBuf {
        let head = self.project.head();
        let head = (!head.is_empty()).then_some(head.as_str());
        let request = CheckoutRequest { tree, head, message: "snapshot" };
        self.checkout.fill(&self.reader, &request).expect("the files can be written");
        let checkout = self.checkout.path().to_owned();
        assert_eq!(git(&checkout, &["status", "--porcelain"]), "", "git finds nothing to report");
        assert_eq!(git(&checkout, &["rev-parse", "HEAD^{tree}"]).trim(), tree);
        checkout
    }
}

/// All files below a directory except git's, with mode and content.
fn files(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut todo = vec![directory.to_owned()];
    while let Some(place) = todo.pop() {
        for entry in fs::read_dir(place).expect("it is there").flatten() {
            let path = entry.path();
            let metadata = fs::symlink_metadata(&path).expect("it is there");
            let name = path.strip_prefix(directory).expect("it is below").display().to_string();
            if name == ".git" {
                continue;
            }
            if metadata.is_dir() {
                found.insert(format!("{name}/"), String::new());
                todo.push(path);
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path).expect("it is a link");
                found.insert(name, format!("-> {}", target.display()));
            } else {
                let text = fs::read_to_string(&path).expect("it is text");
                let is_executable = metadata.permissions().mode() & 0o100 != 0;
                found.insert(name, format!("{}{text}", if is_executable { "x " } else { "" }));
            }
        }
    }
    found
}

fn listed(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_checkout_changes_from_one_snapshot_to_the_other_and_back() {
    let checkouts = CheckoutProject::new(TestProject::repository());
    let work = checkouts.project.work.clone();
    checkouts
        .project
        .write("same", "same")
        .write("mode", "m")
        .write("dir/in", "1")
        .write("file", "2");
    checkouts.project.write("gone/deep/x", "3");
    symlink("same", work.join("link")).expect("it is ours");
    let one = checkouts.tree();
    fs::set_permissions(work.join("mode"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    fs::remove_dir_all(work.join("dir")).expect("it is ours");
    fs::remove_dir_all(work.join("gone")).expect("it is ours");
    fs::remove_file(work.join("link")).expect("it is ours");
    checkouts.project.remove("file").write("dir", "a file now").write("file/in", "a directory now");
    symlink("mode", work.join("link")).expect("it is ours");
    let other = checkouts.tree();
    let before = listed(&[
        ("a.txt", "a"),
        ("dir/", ""),
        ("dir/in", "1"),
        ("file", "2"),
        ("gone/", ""),
        ("gone/deep/", ""),
        ("gone/deep/x", "3"),
        ("link", "-> same"),
        ("mode", "m"),
        ("same", "same"),
    ]);
    let after = listed(&[
        ("a.txt", "a"),
        ("dir", "a file now"),
        ("file/", ""),
        ("file/in", "a directory now"),
        ("link", "-> mode"),
        ("mode", "x m"),
        ("same", "same"),
    ]);
    let mut checkouts = checkouts;
    for (tree, expected) in [(&one, &before), (&other, &after), (&one, &before)] {
        let checkout = checkouts.fill(tree);
        assert_eq!(files(&checkout), *expected);
    }
}

#[test]
fn only_files_that_differ_are_written_again() {
    let mut checkouts = CheckoutProject::new(TestProject::repository());
    checkouts.project.write("same", "same");
    let one = checkouts.tree();
    checkouts.project.write("a.txt", "other");
    let other = checkouts.tree();
    let checkout = checkouts.fill(&one);
    let modified = |name: &str| {
        let metadata = fs::metadata(checkout.join(name)).expect("it is there");
        metadata.modified().expect("there is a time")
    };
    let (same, changed) = (modified("same"), modified("a.txt"));
    checkouts.fill(&other);
    assert_eq!(modified("same"), same);
    assert_ne!(modified("a.txt"), changed);
}

#[test]
fn what_a_command_leaves_is_removed_except_for_ignored_files() {
    let mut checkouts = CheckoutProject::new(TestProject::repository());
    checkouts.project.write(".gitignore", "target/\n*.log\n").write("src/a", "1");
    let one = checkouts.tree();
    checkouts.project.write("src/a", "2");
    let other = checkouts.tree();
    let checkout = checkouts.fill(&one);
    let write = |name: &str, text: &str| {
        let path = checkout.join(name);
        fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
        fs::write(path, text).expect("it is ours");
    };
    write("target/debug/program", "built");
    write("new/file", "untracked");
    write("x.log", "ignored");
    write("src/a", "edited");
    fs::remove_file(checkout.join("a.txt")).expect("it is ours");
    fs::create_dir(checkout.join("a.txt")).expect("it is ours");
    fs::create_dir(checkout.join("empty")).expect("it is ours");
    git(&checkout, &["init", "--quiet", "nested"]);
    let kept = [("target/", ""), ("target/debug/", ""), ("target/debug/program", "built")];
    let mut expected = listed(&kept);
    expected.extend(listed(&[
        (".gitignore", "target/\n*.log\n"),
        ("a.txt", "a"),
        ("src/", ""),
        ("src/a", "1"),
        ("x.log", "ignored"),
    ]));
    checkouts.fill(&one);
    assert_eq!(files(&checkout), expected, "the same snapshot again");
    write("src/a", "edited");
    expected.extend(listed(&[("src/a", "2")]));
    checkouts.fill(&other);
    assert_eq!(files(&checkout), expected);
    checkouts.checkout.clear().expect("it is ours");
    checkouts.fill(&other);
    assert!(!checkout.join("target").exists(), "a cleared checkout has nothing but the snapshot");
}

#[test]
fn files_without_write_permission_are_removed() {
    let mut checkouts = CheckoutProject::new(TestProject::repository());
    let tree = checkouts.tree();
    let checkout = checkouts.fill(&tree);
    let cache = checkout.join("cache");
    fs::create_dir_all(cache.join("inner")).expect("it is ours");
    fs::write(cache.join("inner/x"), "").expect("it is ours");
    fs::set_permissions(cache.join("inner"), fs::Permissions::from_mode(0o500))
        .expect("it is ours");
    checkouts.fill(&tree);
    assert_eq!(files(&checkout), listed(&[("a.txt", "a")]));
}

#[test]
fn commands_cannot_change_how_our_git_works() {
    let mut checkouts = CheckoutProject::new(TestProject::repository());
    checkouts.project.write(".gitattributes", "*.txt filter=evil\n");
    let one = checkouts.tree();
    checkouts.project.write("a.txt", "other");
    let other = checkouts.tree();
    let trace = checkouts.project.beside("ran");
    let checkout = checkouts.fill(&one);
    let touch = format!("touch '{}'; cat", trace.display());
    for (key, value) in [("filter.evil.smudge", &touch), ("core.fsmonitor", &touch)] {
        git(&checkout, &["config", key, value]);
    }
    fs::create_dir_all(checkout.join(".git/hooks")).expect("it is ours");
    let hook = checkout.join(".git/hooks/post-checkout");
    fs::write(&hook, format!("#!/bin/sh\n{touch}\n")).expect("it is ours");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("it is ours");
    checkouts.fill(&other);
    assert!(!trace.exists(), "nothing of the checkout's git was run");
    assert_eq!(fs::read_to_string(checkout.join("a.txt")).expect("it is there"), "other");
    assert!(!hook.exists(), "git's directory is written anew");
}

#[test]
fn the_checkout_of_a_snapshot_has_the_history_of_its_commit() {
    let mut checkouts = CheckoutProject::new(TestProject::repository());
    checkouts.project.write("new", "not committed");
    let tree = checkouts.tree();
    let status = checkouts.project.git(&["status", "--porcelain"]);
    let checkout = checkouts.fill(&tree);
    assert_eq!(git(&checkout, &["log", "--format=%s"]), "snapshot\nx\n");
    assert_eq!(git(&checkout, &["show", "--format=", "--name-only"]), "new\n");
    let gone = CheckoutRequest { tree: &tree, head: Some(&"1".repeat(40)), message: "snapshot" };
    checkouts.checkout.fill(&checkouts.reader, &gone).expect("the files can be written");
    assert_eq!(git(&checkout, &["log", "--format=%s"]), "snapshot\n", "its commit is lost");
    assert_eq!(checkouts.project.git(&["status", "--porcelain"]), status);
}

#[test]
fn a_repository_with_longer_object_names_has_checkouts() {
    let project = TestProject::new();
    project.git(&["init", "--quiet", "--object-format=sha256"]);
    project.write("a.txt", "a");
    let mut checkouts = CheckoutProject::new(project);
    let tree = checkouts.tree();
    let checkout = checkouts.fill(&tree);
    assert_eq!(files(&checkout), listed(&[("a.txt", "a")]));
}
