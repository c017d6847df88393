//! Tests of uncommitted files.

use std::fs;

use forkhestra_core::event::PathList;

use crate::test_project::{TestProject, work_tree_query};
use crate::work_tree::query::WorkTreeQuery;

fn begin(project: &mut TestProject) {
    let seen =
        project.observe(&WorkTreeQuery { begins: true, uncommitted: true, ..work_tree_query() });
    assert_eq!((seen.uncommitted, seen.notices.len()), (Some(PathList::default()), 0));
}

fn uncommitted(project: &mut TestProject) -> Vec<String> {
    let seen = project.observe(&WorkTreeQuery { uncommitted: true, ..work_tree_query() });
    assert_eq!(seen.notices, [""; 0]);
    seen.uncommitted.expect("it was requested").listed
}

#[test]
fn everything_counts_that_was_changed_and_not_committed() {
    let mut project = TestProject::repository();
    project.write(".gitignore", "ignored\n").write("b.txt", "b").commit();
    begin(&mut project);
    assert_eq!(uncommitted(&mut project), [""; 0]);
    project.write("a.txt", "changed").write("new/two\nlines.txt", "x").write("ignored", "x");
    project.write("state of runs/x", "ours").write(".agent-state/x", "ours").remove("b.txt");
    project.write("staged file", "x").git(&["add", "staged file"]);
    let expected = ["a.txt", "b.txt", "new/two\\nlines.txt", "staged file"];
    assert_eq!(uncommitted(&mut project), expected);
    project.git(&["add", "--all", "--", ":!.agent-state", ":!state of runs"]);
    project.git(&["commit", "--quiet", "-m", "x"]);
    assert_eq!(uncommitted(&mut project), [""; 0]);
}

#[test]
fn the_state_at_the_start_of_the_step_does_not_count() {
    let mut project = TestProject::repository();
    project.write("a.txt", "changed before").write("new.txt", "there before");
    begin(&mut project);
    assert_eq!(uncommitted(&mut project), [""; 0]);
    // The run continues in another process.
    project.work_in("", None);
    project.write("new.txt", "changed since");
    assert_eq!(uncommitted(&mut project), ["new.txt"]);
    project.write("a.txt", "as well");
    assert_eq!(uncommitted(&mut project), ["a.txt", "new.txt"]);
}

#[test]
fn without_a_commit_nothing_is_committed() {
    let mut project = TestProject::new();
    project.git(&["init", "--quiet"]);
    project.write("a.txt", "a");
    begin(&mut project);
    assert_eq!(uncommitted(&mut project), ["a.txt"]);
}

#[test]
fn names_are_relative_to_the_working_directory() {
    let mut project = TestProject::repository();
    project.work_in("sub/dir", None);
    begin(&mut project);
    project.write("a.txt", "changed").write("sub/dir/b.txt", "b");
    assert_eq!(uncommitted(&mut project), ["../../a.txt", "b.txt"]);
}

#[test]
fn without_a_baseline_everything_must_be_committed() {
    let mut project = TestProject::repository();
    project.write("new.txt", "there before");
    let seen = project.observe(&WorkTreeQuery { uncommitted: true, ..work_tree_query() });
    assert_eq!(seen.uncommitted.expect("it was requested").listed, ["new.txt"]);
    let notice = "it is no longer known what was uncommitted when step 1 began";
    assert!(seen.notices[0].starts_with(notice), "{:?}", seen.notices);
}

#[test]
fn files_in_git_lfs_are_compared_with_their_pointers() {
    let mut project = TestProject::repository();
    // The digest of `abc`.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let pointer =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 3\n");
    project.write(".gitattributes", "*.bin filter=lfs\n*.x filter=other\n").write("y.x", "x");
    project.write("a.bin", &pointer).write("b.bin", &pointer).commit();
    for name in ["lfs", "other"] {
        project.git(&["config", &format!("filter.{name}.clean"), "false"]);
    }
    begin(&mut project);
    project.write("a.bin", "abc").write("b.bin", "abd");
    assert_eq!(uncommitted(&mut project), ["b.bin"]);
}

#[test]
fn files_of_other_filters_are_uncommitted_once_they_change() {
    let mut project = TestProject::repository();
    project.write(".gitattributes", "*.x filter=other\n").write("y.x", "y").write("z.x", "z");
    project.commit();
    project.git(&["config", "filter.other.clean", "cat"]);
    project.write("z.x", "the form of the work tree");
    begin(&mut project);
    assert_eq!(uncommitted(&mut project), [""; 0]);
    project.write("y.x", "changed");
    assert_eq!(uncommitted(&mut project), ["y.x"]);
}

#[test]
fn marks_in_the_index_hide_nothing() {
    let mut project = TestProject::repository();
    project.write("b.txt", "b").write("c.txt", "c").write("sparse/d.txt", "d").commit();
    project.git(&["sparse-checkout", "set", "--no-cone", "/*", "!sparse"]);
    begin(&mut project);
    project.git(&["update-index", "--assume-unchanged", "a.txt", "b.txt"]);
    project.git(&["update-index", "--skip-worktree", "b.txt", "c.txt"]);
    project.write("a.txt", "1").write("b.txt", "2").write("c.txt", "3");
    assert_eq!(uncommitted(&mut project), ["a.txt", "b.txt", "c.txt"]);
}

#[test]
fn a_skipped_file_that_comes_back_is_seen() {
    for is_sparse in [false, true] {
        let mut project = TestProject::repository();
        project.write("sparse/d.txt", "d").commit();
        if is_sparse {
            project.git(&["sparse-checkout", "set", "--no-cone", "/*", "!sparse"]);
        }
        begin(&mut project);
        project.git(&["update-index", "--skip-worktree", "a.txt"]);
        fs::remove_file(project.work.join("a.txt")).expect("it is ours");
        let removed = uncommitted(&mut project);
        assert_eq!(removed, if is_sparse { &[][..] } else { &["a.txt"] });
        project.write("a.txt", "changed");
        assert_eq!(uncommitted(&mut project), ["a.txt"]);
    }
}

#[test]
fn uncommitted_files_of_repositories_inside_count() {
    let mut project = TestProject::repository();
    let other = TestProject::repository();
    let url = other.work.to_str().expect("it is a text");
    project.git(&["submodule", "--quiet", "add", url, "sub"]);
    project.commit();
    begin(&mut project);
    assert_eq!(uncommitted(&mut project), [""; 0]);
    project.write("sub/a.txt", "changed");
    project.git(&["init", "--quiet", "new"]);
    project.write("new/x", "x");
    assert_eq!(uncommitted(&mut project), ["new", "sub"]);
}

#[test]
fn a_special_file_in_place_of_the_index_is_an_error() {
    let mut project = TestProject::repository();
    begin(&mut project);
    project.remove(".git/index");
    fs::create_dir(project.work.join(".git/index")).expect("it is ours");
    let seen = project.observe(&WorkTreeQuery { uncommitted: true, ..work_tree_query() });
    assert_eq!((seen.uncommitted, seen.signals), (None, None));
    assert!(seen.notices[0].contains(".git/index is not a regular file"), "{:?}", seen.notices);
}
