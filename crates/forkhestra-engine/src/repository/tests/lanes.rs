//! Tests of lanes in real repositories.

mod destructive_commands;
mod filling;
mod kinds_of_repositories;
mod moves;
mod refusals;
mod settings;
mod states;
mod submodules;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::test_project::{TestProject, git, inherited};
use crate::{LaneClone, LaneError, LaneRequest, LaneSource, NewLane};

fn open_source(directory: &Path) -> LaneSource {
    LaneSource::open(directory, &inherited()).expect("it is a repository")
}

fn try_create(source: &LaneSource, directory: &Path) -> Result<NewLane, LaneError> {
    let head = source.head()?;
    let (base, branch) = (head.commit.unwrap_or_default(), head.branch);
    let branch = branch.as_deref();
    source.create(LaneRequest { base: &base, branch, directory, is_cancelled: &|| false })
}

/// Makes a lane from what is checked out in a directory.
fn create_from(directory: &Path, lane: &Path) -> LaneClone {
    create_with(directory, lane, &inherited())
}

fn create_with(directory: &Path, lane: &Path, environment: &[(OsString, OsString)]) -> LaneClone {
    let source = LaneSource::open(directory, environment).expect("it is a repository");
    let made = try_create(&source, lane).expect("it can be made");
    assert_eq!(made.gaps, <_>::default());
    made.lane
}

/// Makes a lane from what is checked out in a project.
fn create(project: &TestProject) -> PathBuf {
    let lane = project.beside("lanes/1");
    create_from(&project.work, &lane);
    assert_eq!(git(&lane, &["status", "--porcelain"]), "");
    lane
}

#[test]
fn a_lane_has_the_branches_tags_and_remotes_of_the_repository() {
    let project = TestProject::repository();
    let origin = project.beside("origin");
    project.git(&["clone", "--quiet", "--bare", ".", &origin.to_string_lossy()]);
    project.git(&["remote", "add", "origin", "../origin"]);
    project.git(&["fetch", "--quiet", "origin"]);
    project.git(&["remote", "set-head", "origin", "--auto"]);
    project.git(&["branch", "other"]);
    project.git(&["tag", "-a", "v1", "-m", "one"]);
    project.git(&["checkout", "--quiet", "-b", "deep/work"]);
    project.write("b.txt", "b").commit();
    fs::write(project.work.join(".git/info/exclude"), "secret\n").expect("it is ours");
    let lane = create(&project);
    for args in [
        &["for-each-ref"][..],
        &["symbolic-ref", "HEAD"],
        &["symbolic-ref", "refs/remotes/origin/HEAD"],
        &["log", "--oneline", "--all"],
        &["ls-files", "--stage"],
        &["remote"],
    ] {
        assert_eq!(git(&lane, args), project.git(args), "{args:?}");
    }
    git(&lane, &["fetch", "--quiet", "origin"]);
    fs::write(lane.join("secret"), "x").expect("it is ours");
    assert_eq!(git(&lane, &["status", "--porcelain"]), "");
    git(&lane, &["fsck", "--strict"]);
    assert!(!project.beside("lanes/1.incomplete").exists());
}

#[test]
fn a_lane_begins_with_the_given_commit_on_the_same_branch() {
    let project = TestProject::repository();
    let base = project.head();
    project.write("later.txt", "x").commit();
    let source = open_source(&project.work);
    let branch = source.head().expect("there is one").branch;
    let lane = project.beside("lanes/1");
    let (base, branch, directory) = (base.as_str(), branch.as_deref(), lane.as_path());
    let request = LaneRequest { base, branch, directory, is_cancelled: &|| false };
    source.create(request).expect("it can be made");
    assert_eq!(git(&lane, &["rev-parse", "HEAD"]).trim(), base);
    assert_eq!(git(&lane, &["symbolic-ref", "HEAD"]), project.git(&["symbolic-ref", "HEAD"]));
    assert!(!lane.join("later.txt").exists());
    assert_eq!(git(&lane, &["status", "--porcelain"]), "");
}

#[test]
fn a_lane_that_is_gone_is_made_again_from_a_commit() {
    let project = TestProject::repository();
    let lane = create(&project);
    LaneClone::remove(&lane).expect("it can be removed");
    LaneClone::remove(&lane).expect("it is gone already");
    assert!(!lane.exists());
    project.write("later.txt", "x").commit();
    create(&project);
    assert!(lane.join("later.txt").exists());
}

#[test]
fn read_only_directories_do_not_keep_a_lane() {
    use std::os::unix::fs::PermissionsExt;
    let project = TestProject::repository();
    let lane = create(&project);
    let deep = lane.join("cache/deep");
    fs::create_dir_all(&deep).expect("it is ours");
    fs::write(deep.join("file"), "x").expect("it is ours");
    for place in [&deep, &lane.join("cache")] {
        fs::set_permissions(place, fs::Permissions::from_mode(0o555)).expect("it is ours");
    }
    LaneClone::remove(&lane).expect("it can be removed");
    assert!(!lane.exists());
}
