//! Submodules in lanes.

use std::fs;

use super::{create, open_source, try_create};
use crate::test_project::{TestProject, commit, git};
use crate::{LaneClone, LaneGaps, LaneMove};

/// A repository with a submodule that has a submodule itself.
fn nested() -> TestProject {
    let project = TestProject::repository();
    for name in ["inner", "outer"] {
        let place = project.beside(name);
        fs::create_dir(&place).expect("it is ours");
        git(&place, &["init", "--quiet"]);
        fs::write(place.join("file.txt"), name).expect("it is ours");
        commit(&place);
    }
    let (inner, outer) = (project.beside("inner"), project.beside("outer"));
    git(&outer, &["submodule", "--quiet", "add", &inner.to_string_lossy(), "deep/inner"]);
    commit(&outer);
    project.git(&["submodule", "--quiet", "add", &outer.to_string_lossy(), "lib/outer"]);
    project.git(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    project.commit();
    // Nothing can be fetched.
    fs::remove_dir_all(inner).and_then(|()| fs::remove_dir_all(outer)).expect("they are ours");
    project
}

#[test]
fn a_lane_has_submodules_and_those_in_them_without_a_network() {
    let project = nested();
    let lane = create(&project);
    for (name, text) in
        [("lib/outer/file.txt", "outer"), ("lib/outer/deep/inner/file.txt", "inner")]
    {
        assert_eq!(fs::read_to_string(lane.join(name)).expect("it is there"), text);
    }
    let status = ["submodule", "status", "--recursive"];
    let ids = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.chars().take(41).collect()).collect()
    };
    assert_eq!(ids(&git(&lane, &status)), ids(&project.git(&status)));
    assert!(lane.join(".git/modules/lib/outer/modules/deep/inner/HEAD").exists());
    // Work in the submodule stays in the lane.
    let sub = lane.join("lib/outer");
    let before = git(&project.work.join("lib/outer"), &["for-each-ref"]);
    git(&sub, &["checkout", "--quiet", "-b", "agent"]);
    commit(&sub);
    git(&sub, &["gc", "--quiet", "--prune=now"]);
    fs::remove_dir_all(lane.join(".git/modules")).expect("it is ours");
    assert_eq!(git(&project.work.join("lib/outer"), &["for-each-ref"]), before);
    git(&project.work.join("lib/outer"), &["fsck", "--full"]);
}

#[test]
fn a_submodule_that_is_not_initialised_is_an_empty_directory() {
    let project = nested();
    project.git(&["submodule", "--quiet", "deinit", "--force", "--all"]);
    let lane = create(&project);
    let mut entries = fs::read_dir(lane.join("lib/outer")).expect("it is there");
    assert!(entries.next().is_none());
}

#[test]
fn a_submodule_without_its_commit_is_reported() {
    let project = nested();
    let inner = project.work.join("lib/outer/deep/inner");
    git(&inner, &["checkout", "--quiet", "--orphan", "other"]);
    fs::write(inner.join("file.txt"), "other").expect("it is ours");
    commit(&inner);
    let refs = git(&inner, &["for-each-ref", "--format=delete %(refname)"]);
    for name in refs.lines().filter_map(|line| line.strip_prefix("delete ")) {
        if name != "refs/heads/other" && !name.ends_with("/HEAD") {
            git(&inner, &["update-ref", "-d", name]);
        }
    }
    git(&inner, &["symbolic-ref", "--delete", "refs/remotes/origin/HEAD"]);
    git(&inner, &["reflog", "expire", "--expire=now", "--all"]);
    git(&inner, &["gc", "--quiet", "--prune=now"]);
    let made = try_create(&open_source(&project.work), &project.beside("lanes/1"));
    let gaps = made.expect("the rest can be made").gaps.submodules;
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert_eq!(gaps[0].path, std::path::Path::new("lib/outer/deep/inner"));
    assert!(gaps[0].why.contains("does not have its commit"), "{gaps:?}");
    assert!(project.beside("lanes/1/lib/outer/file.txt").exists());
}

#[test]
fn a_repository_in_the_commit_that_is_no_submodule_is_in_the_lane() {
    let project = TestProject::repository();
    let inner = project.work.join("vendored");
    fs::create_dir(&inner).expect("it is ours");
    git(&inner, &["init", "--quiet"]);
    fs::write(inner.join("file.txt"), "x").expect("it is ours");
    commit(&inner);
    project.commit();
    let lane = create(&project);
    assert!(lane.join("vendored/file.txt").exists());
    assert!(lane.join("vendored/.git").is_dir());
}

#[test]
fn submodules_are_moved_with_the_lane() {
    let project = nested();
    let lane = create(&project);
    let (outer, inner) =
        (project.work.join("lib/outer"), project.work.join("lib/outer/deep/inner"));
    for place in [&inner, &outer, &project.work] {
        fs::write(place.join("more.txt"), "landed").expect("it is ours");
        commit(place);
    }
    let source = open_source(&project.work);
    let opened = LaneClone::open(&source, &lane, None).expect("it is a lane");
    let moved = opened.move_to(&source, &project.head()).expect("git answers");
    assert_eq!(moved, LaneMove::Moved(LaneGaps::default()));
    assert_eq!(git(&lane, &["status", "--porcelain"]), "");
    assert!(lane.join("lib/outer/deep/inner/more.txt").exists());
    // An agent has a commit of its own there.
    let own = lane.join("lib/outer");
    commit(&own);
    fs::write(outer.join("more.txt"), "again").expect("it is ours");
    commit(&outer);
    project.commit();
    let moved = opened.move_to(&source, &project.head()).expect("git answers");
    let LaneMove::Moved(gaps) = moved else { unreachable!("{moved:?}") };
    assert!(gaps.submodules[0].why.contains("it has commits that"), "{gaps:?}");
    assert_eq!(fs::read_to_string(own.join("more.txt")).expect("it is there"), "landed");
    // What an agent left there is found.
    fs::write(lane.join("lib/outer/deep/inner/left.txt"), "x").expect("it is ours");
    let state = opened.state(&project.head()).expect("it is read");
    let left = std::path::Path::new("lib/outer/deep/inner/left.txt");
    assert!(state.uncommitted.contains(left), "{state:?}");
    // The submodule of the user's work tree is never moved.
    let theirs = format!("gitdir: {}\n", project.work.join(".git/modules/lib/outer").display());
    fs::write(own.join(".git"), theirs).expect("it is ours");
    fs::write(outer.join("more.txt"), "third").expect("it is ours");
    commit(&outer);
    project.commit();
    git(&outer, &["checkout", "--quiet", "--detach", "HEAD~1"]);
    let before = git(&outer, &["rev-parse", "HEAD"]);
    let moved = opened.move_to(&source, &project.head()).expect("git answers");
    let LaneMove::Moved(gaps) = moved else { unreachable!("{moved:?}") };
    assert!(gaps.submodules[0].why.contains("is outside of the lane"), "{gaps:?}");
    assert_eq!(git(&outer, &["rev-parse", "HEAD"]), before);
}
