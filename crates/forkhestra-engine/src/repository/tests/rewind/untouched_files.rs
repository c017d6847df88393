//! Files that neither a rewind nor its undo changes.

use std::path::{Path, PathBuf};

use super::RewindProject;

#[test]
fn ignored_files_are_neither_touched_nor_overwritten() {
    let mut work = RewindProject::new();
    work.project.write("build/out", "first").write("same", "same");
    work.snapshot();
    work.project.remove("build/out").remove("same");
    work.project.write(".gitignore", "build/\nsame\nlocal\n");
    work.snapshot();
    work.project.write("build/out", "ignored").write("same", "same").write("local", "mine");
    let mut rewinder = work.rewinder();
    let survey = work.survey(&mut rewinder, 0);
    let obstacles: Vec<&Path> = survey.obstacles.iter().map(PathBuf::as_path).collect();
    assert_eq!(obstacles, [Path::new("build/out")]);
    work.project.remove("build/out");
    work.rewind(0);
    assert_eq!((work.read("local"), work.read("same")), ("mine".into(), "same".into()));
    assert_eq!(work.read("build/out"), "first");
    work.undo();
    assert_eq!((work.read("local"), work.read("same")), ("mine".into(), "same".into()));
    assert!(!work.path("build/out").exists());
}

#[test]
fn an_ignored_file_in_a_directory_that_has_to_go_is_in_the_way() {
    let mut work = RewindProject::new();
    work.project.write("place", "a file");
    work.snapshot();
    work.project.remove("place").write("place/tracked", "x").write(".gitignore", "*.tmp\n");
    work.snapshot();
    work.project.write("place/notes.tmp", "mine");
    let mut rewinder = work.rewinder();
    let survey = work.survey(&mut rewinder, 0);
    let obstacles: Vec<&Path> = survey.obstacles.iter().map(PathBuf::as_path).collect();
    assert_eq!(obstacles, [Path::new("place/notes.tmp")]);
    work.project.remove("place/notes.tmp");
    let before = work.state();
    work.rewind(0);
    assert_eq!(work.read("place"), "a file");
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn an_ignored_file_that_git_would_convert_stays() {
    let mut work = RewindProject::new();
    work.project.write(".gitignore", "local\n");
    work.snapshot();
    work.project.remove(".gitignore").write(".gitattributes", "* text eol=lf\n");
    work.project.write("local", "two\r\nlines\r\n");
    work.snapshot();
    let before = work.state();
    work.rewind(0);
    assert_eq!(work.read("local"), "two\r\nlines\r\n");
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn a_file_that_git_does_not_convert_any_more_is_no_change() {
    let mut work = RewindProject::new();
    work.project.write("a.txt", "two\r\nlines\r\n");
    work.snapshot();
    work.project.write(".gitattributes", "* text=auto eol=crlf\n");
    work.snapshot();
    let before = work.state();
    work.rewind(0);
    assert!(!work.path(".gitattributes").exists());
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn a_file_that_has_the_bytes_of_the_target_already_keeps_them() {
    let mut work = RewindProject::new();
    work.project.write("a.txt", "two\r\nlines\r\n");
    work.snapshot();
    // Written again, so that git converts it by the attributes.
    work.project.write(".gitattributes", "*.txt text eol=lf\n").remove("a.txt");
    work.project.write("a.txt", "two\r\nlines\r\n");
    work.snapshot();
    assert_ne!(work.entry(0, "a.txt"), work.entry(1, "a.txt"));
    let before = work.state();
    work.rewind(0);
    assert_eq!(work.read("a.txt"), "two\r\nlines\r\n");
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn an_undo_leaves_a_secret_alone_that_the_rewind_did_not_change() {
    let mut work = RewindProject::new();
    work.project.write(".env", "SECRET=1").commit();
    work.snapshot();
    work.project.git(&["rm", "--quiet", "--cached", ".env"]);
    work.project.git(&["-c", "user.name=x", "commit", "--quiet", "--message", "untracked"]);
    work.project.write(".env", "SECRET=2").write("a.txt", "b");
    work.snapshot();
    let before = work.state();
    work.rewind(0);
    assert_eq!((work.read(".env"), work.read("a.txt")), ("SECRET=2".into(), "a".into()));
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn an_undo_leaves_a_file_with_a_filter_alone() {
    let mut work = RewindProject::new();
    work.project.git(&["config", "filter.same.clean", "cat"]);
    work.project.write(".gitattributes", "*.txt text eol=lf filter=same\n");
    work.project.write("a.txt", "first\r\n").commit();
    work.snapshot();
    work.project.write("a.txt", "second\r\n").write("b", "b");
    work.snapshot();
    let before = work.state();
    work.rewind(0);
    assert_eq!(work.read("a.txt"), "second\r\n");
    assert!(!work.path("b").exists());
    work.undo();
    assert_eq!(work.state(), before);
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    let mut work = RewindProject::new();
    work.project.write("in/x", "first").write("out/y", "first").commit();
    work.project.git(&["sparse-checkout", "set", "in"]);
    assert!(!work.path("out").exists());
    work.snapshot();
    // A commit that changes a file that is not checked out.
    let object = work.project.git(&["hash-object", "-w", "in/x"]);
    let entry = format!("100755,{},out/y", object.trim());
    work.project.git(&["update-index", "--cacheinfo", &entry]);
    work.project.git(&["update-index", "--skip-worktree", "out/y"]);
    work.project.git(&["-c", "user.name=x", "commit", "--quiet", "--message", "outside"]);
    work.project.write("in/x", "second").write("in/z", "new");
    work.snapshot();
    let before = work.state();
    work.rewind(0);
    assert_eq!(work.read("in/x"), "first");
    assert!(!work.path("out").exists() && !work.path("in/z").exists());
    assert_eq!(work.project.git(&["status", "--porcelain"]), "");
    work.undo();
    assert_eq!(work.state(), before);
    assert!(!work.path("out").exists());
}
