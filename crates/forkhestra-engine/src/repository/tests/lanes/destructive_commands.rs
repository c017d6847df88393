//! What agents do in lanes, and what happens to the repository meanwhile: neither reaches the other.

use std::fs;
use std::path::Path;

use forkhestra_core::id::RunId;

use super::{create, open_source};
use crate::test_project::{RUN, TestProject, git};

/// Everything of a repository that an agent must not change.
fn state(directory: &Path) -> [String; 6] {
    [
        &["for-each-ref"][..],
        &["stash", "list"],
        &["config", "--local", "--list"],
        &["status", "--porcelain"],
        &["rev-list", "--all", "--objects", "--count"],
        &["fsck", "--full", "--strict"],
    ]
    .map(|args| git(directory, args))
}

fn project() -> TestProject {
    let project = TestProject::repository();
    project.git(&["branch", "other"]);
    project.write("b.txt", "b").commit();
    project.git(&["branch", "feature"]);
    project.write("a.txt", "stashed").git(&["stash", "--quiet"]);
    project.write("a.txt", "uncommitted").write("untracked.txt", "u");
    project
}

#[test]
fn no_command_in_a_lane_reaches_the_repository() {
    for commands in [
        &[&["branch", "--quiet", "-D", "other", "feature"][..]][..],
        &[&["update-ref", "-d", "refs/heads/feature"], &["update-ref", "-d", "HEAD"]],
        &[&["reset", "--quiet", "--hard", "HEAD~1"], &["clean", "-fdxq"]],
        &[
            &["commit", "--quiet", "--allow-empty", "-m", "lost"],
            &["reset", "--quiet", "--hard", "HEAD~1"],
            &["reflog", "expire", "--expire=now", "--all"],
            &["gc", "--quiet", "--prune=now"],
            &["repack", "-a", "-d", "-q"],
            &["prune", "--expire=now"],
        ],
        &[&["config", "user.name", "agent"], &["config", "core.hooksPath", "/evil"]],
        &[&["tag", "new"], &["checkout", "--quiet", "-b", "mine"], &["branch", "-M", "main2"]],
        &[&["worktree", "add", "--quiet", "../tree"], &["worktree", "prune"]],
        &[&["remote", "add", "x", "/x"], &["pack-refs", "--all"]],
    ] {
        let project = project();
        let before = state(&project.work);
        let lane = project.beside("lanes/1");
        super::create_from(&project.work, &lane);
        for args in commands {
            git(&lane, args);
        }
        assert_eq!(state(&project.work), before, "{commands:?}");
        fs::remove_dir_all(lane.join(".git")).expect("it is ours");
        assert_eq!(state(&project.work), before, "rm -rf .git");
    }
}

#[test]
fn the_stash_of_a_lane_is_its_own() {
    let project = project();
    let stash = project.git(&["stash", "list"]);
    let [one, two] = ["lanes/1", "lanes/2"].map(|name| {
        let lane = project.beside(name);
        super::create_from(&project.work, &lane);
        lane
    });
    assert_eq!(git(&one, &["stash", "list"]), "");
    for (lane, text) in [(&one, "one"), (&two, "two")] {
        fs::write(lane.join("a.txt"), text).expect("it is ours");
        git(lane, &["stash", "--quiet"]);
    }
    git(&one, &["stash", "pop", "--quiet"]);
    assert_eq!(fs::read_to_string(one.join("a.txt")).expect("it is there"), "one");
    git(&two, &["stash", "drop", "--quiet"]);
    assert_eq!(project.git(&["stash", "list"]), stash);
}

#[test]
fn a_lane_survives_when_git_prunes_the_commit_with_which_it_began() {
    let project = TestProject::repository();
    project.write("b.txt", "b").commit();
    let base = project.head();
    let lane = create(&project);
    let run = RunId::parse(RUN).expect("it is an id");
    let name = open_source(&project.work).keep_commit(&run, "base", &base).expect("it is kept");
    assert_eq!(name, format!("refs/forkhestra/{RUN}/base"));
    project.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    project.git(&["reflog", "expire", "--expire=now", "--all"]);
    project.git(&["gc", "--quiet", "--prune=now"]);
    git(&lane, &["fsck", "--full"]);
    fs::write(lane.join("b.txt"), "changed").expect("it is ours");
    git(&lane, &["commit", "--quiet", "--all", "-m", "work"]);
    assert_eq!(git(&lane, &["show", "HEAD~1:b.txt"]), "b");
    // Without the ref the objects are gone: this is what it is for.
    project.git(&["update-ref", "-d", &name]);
    project.git(&["gc", "--quiet", "--prune=now"]);
    assert!(!project.git(&["cat-file", "--batch-all-objects", "--batch-check"]).contains(&base));
}
