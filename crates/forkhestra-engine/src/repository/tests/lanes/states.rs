//! What an agent left in a lane.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::settings::with_pointers;
use super::{create, open_source};
use crate::test_project::{TestProject, commit, git};
use crate::{LaneClone, LaneError};

fn open(project: &TestProject, lane: &Path) -> LaneClone {
    let branch = project.git(&["symbolic-ref", "HEAD"]);
    LaneClone::open(&open_source(&project.work), lane, Some(branch.trim())).expect("it is a lane")
}

#[test]
fn commits_and_changes_of_an_agent_are_found() {
    let project = TestProject::repository();
    project.write(".gitignore", "*.log\n").commit();
    let (lane, base) = (create(&project), project.head());
    let opened = open(&project, &lane);
    let state = opened.state(&base).expect("it is read");
    assert_eq!(state.head.commit.as_deref(), Some(base.as_str()));
    assert!(state.unlanded.is_empty() && state.uncommitted.is_empty() && state.operation.is_none());
    for text in ["one", "two"] {
        fs::write(lane.join("a.txt"), text).expect("it is ours");
        git(&lane, &["commit", "--quiet", "--all", "-m", text]);
    }
    fs::write(lane.join("a.txt"), "three").expect("it is ours");
    fs::create_dir(lane.join("new dir")).expect("it is ours");
    fs::write(lane.join("new dir/file"), "new").expect("it is ours");
    fs::write(lane.join("x.log"), "ignored").expect("it is ours");
    let state = opened.state(&base).expect("it is read");
    let subjects: Vec<&str> = state.unlanded.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!((subjects, state.more_unlanded), (vec!["one", "two"], 0));
    let expected = ["a.txt", "new dir/file"].map(PathBuf::from);
    assert_eq!(state.uncommitted, BTreeSet::from(expected));
    let head = git(&lane, &["rev-parse", "HEAD"]);
    let landed = opened.state(head.trim()).expect("it is read");
    assert!(landed.unlanded.is_empty(), "what has landed is not counted");
    let error =
        opened.state("0123456789012345678901234567890123456789").expect_err("it is unknown");
    assert!(matches!(error, LaneError::UnknownCommit(_)), "{error}");
}

#[test]
fn a_merge_that_is_not_finished_is_named() {
    let project = TestProject::repository();
    let (lane, base) = (create(&project), project.head());
    git(&lane, &["checkout", "--quiet", "-b", "side"]);
    fs::write(lane.join("a.txt"), "side").expect("it is ours");
    commit(&lane);
    git(&lane, &["checkout", "--quiet", "-"]);
    fs::write(lane.join("a.txt"), "main").expect("it is ours");
    commit(&lane);
    let merge = std::process::Command::new("git")
        .arg("-C")
        .arg(&lane)
        .args(["-c", "user.name=x", "-c", "user.email=x@y", "merge", "--quiet", "side"])
        .output();
    assert!(!merge.expect("git is there").status.success());
    let state = open(&project, &lane).state(&base).expect("it is read");
    assert_eq!(state.operation.as_deref(), Some("a merge is in progress"));
    assert_eq!(state.uncommitted, BTreeSet::from([PathBuf::from("a.txt")]));
}

#[test]
fn work_on_other_branches_and_in_the_stash_is_found() {
    let project = TestProject::repository();
    project.git(&["branch", "other"]);
    let (lane, base) = (create(&project), project.head());
    let (opened, source) = (open(&project, &lane), open_source(&project.work));
    let others = || opened.other_branches(&source, &base).expect("they are listed");
    assert_eq!(others(), []);
    git(&lane, &["checkout", "--quiet", "-b", "mine"]);
    commit(&lane);
    commit(&lane);
    let mine = git(&lane, &["rev-parse", "HEAD"]).trim().to_owned();
    assert_eq!(others(), [], "what is checked out is not counted");
    git(&lane, &["checkout", "--quiet", "other"]);
    fs::write(lane.join("a.txt"), "stashed").expect("it is ours");
    git(&lane, &["stash", "--quiet"]);
    let found: Vec<_> = others().into_iter().map(|it| (it.name, it.commit, it.commits)).collect();
    let stash = git(&lane, &["rev-parse", "refs/stash"]).trim().to_owned();
    let expected = [("refs/heads/mine", mine.clone(), 2), ("refs/stash", stash, 2)];
    assert_eq!(found, expected.map(|(name, commit, count)| (name.to_owned(), commit, count)));
    git(&lane, &["stash", "drop", "--quiet"]);
    assert_eq!(opened.other_branches(&source, &mine).expect("they are listed"), []);
}

#[test]
fn a_branch_without_a_commit_is_damage() {
    let project = TestProject::repository();
    let (lane, base) = (create(&project), project.head());
    git(&lane, &["update-ref", "-d", "HEAD"]);
    let error = open(&project, &lane).state(&base).expect_err("it has no commit");
    assert!(error.to_string().contains("its branch has no commit"), "{error}");
}

#[test]
fn an_unchanged_filtered_file_is_not_uncommitted() {
    let project = with_pointers("lfs");
    let (lane, base) = (project.beside("lanes/1"), project.head());
    super::create_from(&project.work, &lane);
    let opened = open(&project, &lane);
    assert!(opened.state(&base).expect("it is read").uncommitted.is_empty());
    fs::write(lane.join("large.bin"), "changed").expect("it is ours");
    let state = opened.state(&base).expect("it is read");
    assert_eq!(state.uncommitted, BTreeSet::from([PathBuf::from("large.bin")]));
}
