//! Lanes that are moved to other commits.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::settings::with_pointers;
use super::{create, create_from, open_source};
use crate::test_project::{TestProject, commit, git};
use crate::{LaneClone, LaneGaps, LaneMove, LaneObstacle};

fn move_lane(project: &TestProject, lane: &Path, target: &str) -> LaneMove {
    let source = open_source(&project.work);
    let branch = source.head().expect("there is one").branch;
    let opened = LaneClone::open(&source, lane, branch.as_deref()).expect("it is a lane");
    opened.move_to(&source, target).expect("git answers")
}

fn moved() -> LaneMove {
    LaneMove::Moved(LaneGaps::default())
}

fn files<const N: usize>(names: [&str; N]) -> LaneMove {
    LaneMove::Blocked(LaneObstacle::Files(BTreeSet::from(names.map(PathBuf::from))))
}

fn head(lane: &Path) -> String {
    git(lane, &["rev-parse", "HEAD"]).trim().to_owned()
}

fn read(lane: &Path, name: &str) -> Option<String> {
    fs::read_to_string(lane.join(name)).ok()
}

fn write(lane: &Path, name: &str, text: &str) {
    let path = lane.join(name);
    fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
    fs::write(path, text).expect("it is ours");
}

/// A project, a lane at its first commit, and the second commit.
fn behind() -> (TestProject, PathBuf, String) {
    let project = TestProject::repository();
    project.write("b.txt", "b").write("gone.txt", "x").write(".gitignore", "*.log\n").commit();
    let lane = create(&project);
    project.write("a.txt", "landed").write("new/c.txt", "landed").write("forced.log", "landed");
    project.remove("gone.txt");
    project.git(&["add", "--force", "forced.log"]);
    project.commit();
    let target = project.head();
    (project, lane, target)
}

#[test]
fn a_lane_is_moved_with_what_is_not_committed() {
    let (project, lane, target) = behind();
    write(&lane, "b.txt", "uncommitted");
    write(&lane, "untracked.txt", "u");
    write(&lane, "x.log", "ignored");
    write(&lane, "staged.txt", "s");
    git(&lane, &["add", "staged.txt"]);
    let branch = git(&lane, &["symbolic-ref", "HEAD"]);
    assert_eq!(move_lane(&project, &lane, &target), moved());
    assert_eq!((head(&lane), git(&lane, &["symbolic-ref", "HEAD"])), (target.clone(), branch));
    for (name, expected) in [
        ("a.txt", Some("landed")),
        ("new/c.txt", Some("landed")),
        ("gone.txt", None),
        ("b.txt", Some("uncommitted")),
        ("untracked.txt", Some("u")),
        ("x.log", Some("ignored")),
        ("staged.txt", Some("s")),
    ] {
        assert_eq!(read(&lane, name).as_deref(), expected, "{name}");
    }
    let status = git(&lane, &["status", "--porcelain"]);
    assert_eq!(status, " M b.txt\nA  staged.txt\n?? untracked.txt\n");
    assert_eq!(move_lane(&project, &lane, &target), moved(), "it is there already");
}

#[test]
fn files_in_the_way_are_named_and_nothing_is_changed() {
    for (name, in_the_way) in [
        ("a.txt", "a.txt"),
        ("gone.txt", "gone.txt"),
        ("new/c.txt", "new/c.txt"),
        ("forced.log", "forced.log"),
        ("new", "new"),
        ("forced.log/deep", "forced.log/deep"),
    ] {
        let (project, lane, target) = behind();
        let before = head(&lane);
        write(&lane, name, "precious");
        write(&lane, "b.txt", "elsewhere");
        assert_eq!(move_lane(&project, &lane, &target), files([in_the_way]), "{name}");
        assert_eq!(read(&lane, name).as_deref(), Some("precious"), "{name}");
        assert_eq!(read(&lane, "b.txt").as_deref(), Some("elsewhere"));
        assert_eq!(head(&lane), before);
        let changed = if name == "a.txt" { 0 } else { 1 };
        assert_eq!(read(&lane, "a.txt").map(|text| usize::from(text == "a")), Some(changed));
    }
}

#[test]
fn commits_that_have_not_landed_stay() {
    let (project, lane, target) = behind();
    commit(&lane);
    let before = head(&lane);
    let unlanded = |count| LaneMove::Blocked(LaneObstacle::Unlanded(count));
    assert_eq!(move_lane(&project, &lane, &target), unlanded(1));
    // Also if an agent left them on the branch and went elsewhere.
    git(&lane, &["checkout", "--quiet", "-b", "elsewhere", "HEAD~1"]);
    assert_eq!(move_lane(&project, &lane, &target), unlanded(1));
    git(&lane, &["checkout", "--quiet", "-"]);
    assert_eq!(head(&lane), before);
    git(&project.work, &["fetch", "--quiet", &lane.to_string_lossy(), "HEAD"]);
    git(&project.work, &["merge", "--quiet", "--no-edit", "FETCH_HEAD"]);
    assert_eq!(move_lane(&project, &lane, &project.head()), moved());
    assert_eq!(head(&lane), project.head());
}

#[test]
fn a_lane_comes_back_to_its_branch() {
    let (project, lane, target) = behind();
    let branch = git(&lane, &["symbolic-ref", "HEAD"]);
    git(&lane, &["checkout", "--quiet", "--detach"]);
    assert_eq!(move_lane(&project, &lane, &target), moved());
    assert_eq!((head(&lane), git(&lane, &["symbolic-ref", "HEAD"])), (target, branch));
    project.git(&["checkout", "--quiet", "--detach"]);
    let detached = project.beside("lanes/2");
    create_from(&project.work, &detached);
    project.commit();
    assert_eq!(move_lane(&project, &detached, &project.head()), moved());
    assert_eq!(head(&detached), project.head());
    assert_eq!(git(&detached, &["status", "--porcelain", "--branch"]), "## HEAD (no branch)\n");
}

#[test]
fn an_unfinished_merge_and_a_lock_are_named() {
    let (project, lane, target) = behind();
    let merge = lane.join(".git/MERGE_HEAD");
    fs::write(&merge, &target).expect("it is ours");
    let why = |text: String| LaneMove::Blocked(LaneObstacle::Operation(text));
    let found = move_lane(&project, &lane, &target);
    assert_eq!(found, why("a merge is in progress".to_owned()));
    fs::remove_file(merge).expect("it is ours");
    let lock = lane.join(".git/index.lock");
    fs::write(&lock, "").expect("it is ours");
    let text = format!("another git process is at work ({} exists)", lock.display());
    assert_eq!(move_lane(&project, &lane, &target), why(text));
}

#[test]
fn no_hook_and_no_filter_of_the_lane_is_run() {
    let (project, lane, target) = behind();
    let script = format!("touch '{}'", project.beside("ran").display());
    let hook = lane.join(".git/hooks/post-checkout");
    write(&lane, ".git/hooks/post-checkout", &format!("#!/bin/sh\n{script}\n"));
    let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    fs::set_permissions(hook, mode).expect("it is ours");
    for key in ["filter.x.smudge", "filter.x.clean", "core.fsmonitor"] {
        git(&lane, &["config", key, &script]);
    }
    fs::write(lane.join(".git/info/attributes"), "* filter=x\n").expect("it is ours");
    assert!(matches!(move_lane(&project, &lane, &target), LaneMove::Moved(_)));
    assert_eq!(head(&lane), target);
    assert!(!project.beside("ran").exists());
}

#[test]
fn files_in_git_lfs_are_moved_with_their_content() {
    let project = with_pointers("lfs");
    let [rested, worked] = ["lanes/1", "lanes/2"].map(|name| {
        let lane = project.beside(name);
        create_from(&project.work, &lane);
        lane
    });
    git(&worked, &["status"]);
    project.write("large.bin", "new content").commit();
    for lane in [&rested, &worked] {
        assert_eq!(move_lane(&project, lane, &project.head()), moved());
        assert_eq!(read(lane, "large.bin").as_deref(), Some("new content"));
        assert_eq!(git(lane, &["status", "--porcelain"]), "");
    }
    fs::write(rested.join("large.bin"), "precious").expect("it is ours");
    project.write("large.bin", "newer content").write("a.txt", "b").commit();
    assert_eq!(move_lane(&project, &rested, &project.head()), files(["large.bin"]));
    assert_eq!(read(&rested, "large.bin").as_deref(), Some("precious"));
    // Another file is in the way: the content comes back.
    fs::write(worked.join("a.txt"), "precious").expect("it is ours");
    let found = move_lane(&project, &worked, &project.head());
    let LaneMove::Blocked(LaneObstacle::Files(found)) = found else { unreachable!("{found:?}") };
    assert!(found.contains(Path::new("a.txt")), "{found:?}");
    assert_eq!(read(&worked, "large.bin").as_deref(), Some("new content"));
    assert_eq!(git(&worked, &["status", "--porcelain"]), " M a.txt\n");
}
