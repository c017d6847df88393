//! Lanes of repositories that are not plain ones.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use super::{create, create_from};
use crate::test_project::{TestProject, git};

fn url(project: &TestProject) -> String {
    format!("file://{}", project.work.display())
}

/// A clone of a repository with three commits, beside it.
fn clone_of(options: &[&str]) -> (TestProject, std::path::PathBuf) {
    let project = TestProject::repository();
    project.git(&["config", "uploadpack.allowFilter", "true"]);
    project.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    project.write("a.txt", "second").write("in/b.txt", "b").write("out/c.txt", "c").commit();
    project.write("a.txt", "third").commit();
    let clone = project.beside("clone");
    let (url, place) = (url(&project), clone.to_string_lossy().into_owned());
    let args = [&["clone", "--quiet"], options, &[&url, &place]].concat();
    project.git(&args);
    (project, clone)
}

#[test]
fn a_lane_of_a_shallow_repository_is_shallow() {
    let (project, clone) = clone_of(&["--depth=2"]);
    let lane = project.beside("lanes/1");
    create_from(&clone, &lane);
    assert_eq!(git(&lane, &["status", "--porcelain"]), "");
    assert_eq!(git(&lane, &["rev-list", "--count", "HEAD"]), "2\n");
    git(&lane, &["fsck", "--full"]);
}

#[test]
fn an_agent_in_a_lane_of_a_partial_clone_can_fetch_what_is_missing() {
    let (project, clone) = clone_of(&["--filter=blob:none"]);
    let lane = project.beside("lanes/1");
    create_from(&clone, &lane);
    assert_eq!(git(&lane, &["status", "--porcelain"]), "");
    let listed = || git(&lane, &["rev-list", "--objects", "--missing=print", "--all"]);
    assert!(listed().contains("\n?"), "{}", listed());
    assert_eq!(git(&lane, &["show", "HEAD~1:a.txt"]), "second");
    assert_eq!(git(&lane, &["show", "HEAD~2:a.txt"]), "a");
    git(&lane, &["fsck"]);
}

#[test]
fn a_lane_of_a_sparse_checkout_has_the_same_files() {
    for cone in ["--cone", "--no-cone"] {
        let (project, clone) = clone_of(&[]);
        git(&clone, &["sparse-checkout", "set", cone, "in"]);
        let lane = project.beside("lanes/1");
        create_from(&clone, &lane);
        assert_eq!(git(&lane, &["status", "--porcelain"]), "", "{cone}");
        assert!(lane.join("in/b.txt").exists() && !lane.join("out").exists(), "{cone}");
        git(&lane, &["sparse-checkout", "disable"]);
        assert!(lane.join("out/c.txt").exists(), "{cone}");
        assert!(!clone.join("out").exists(), "{cone}");
    }
}

#[test]
fn a_lane_of_a_linked_work_tree_has_its_objects_and_its_branch() {
    let project = TestProject::repository();
    project.git(&["config", "extensions.worktreeConfig", "true"]);
    project.write("in/b.txt", "b").write("out/c.txt", "c").commit();
    let linked = project.beside("linked");
    project.git(&["worktree", "add", "--quiet", "-b", "side", &linked.to_string_lossy()]);
    git(&linked, &["sparse-checkout", "set", "in"]);
    fs::write(linked.join("in/b.txt"), "changed").expect("it is ours");
    git(&linked, &["commit", "--quiet", "--all", "-m", "side"]);
    let lane = project.beside("lanes/1");
    create_from(&linked, &lane);
    assert_eq!(git(&lane, &["status", "--porcelain"]), "");
    assert_eq!(git(&lane, &["symbolic-ref", "HEAD"]), "refs/heads/side\n");
    assert_eq!(git(&lane, &["show", "HEAD:in/b.txt"]), "changed");
    assert!(!lane.join("out").exists());
}

#[test]
fn a_lane_of_a_sha256_repository_has_the_same_format() {
    let project = TestProject::new();
    project.git(&["init", "--quiet", "--object-format=sha256"]);
    project.write("a.txt", "a").commit();
    let lane = create(&project);
    assert_eq!(git(&lane, &["rev-parse", "HEAD"]), project.git(&["rev-parse", "HEAD"]));
    git(&lane, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
}

#[test]
fn a_lane_of_a_repository_with_reftables_has_them() {
    let project = TestProject::new();
    let init = ["init", "--quiet", "--ref-format=reftable"];
    let made = Command::new("git").arg("-C").arg(&project.work).args(init).output();
    if !made.expect("git is there").status.success() {
        // This git has no reftables.
        return;
    }
    project.write("a.txt", "a").commit();
    project.git(&["branch", "other"]);
    project.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/other"]);
    let lane = create(&project);
    assert!(lane.join(".git/reftable").exists());
    assert_eq!(git(&lane, &["for-each-ref"]), project.git(&["for-each-ref"]));
    git(&lane, &["branch", "--quiet", "-D", "other"]);
    assert!(project.git(&["branch"]).contains("other"));
    project.git(&["checkout", "--quiet", "--detach"]);
    let detached = project.beside("lanes/2");
    create_from(&project.work, &detached);
    assert_eq!(git(&detached, &["status", "--porcelain", "--branch"]), "## HEAD (no branch)\n");
}

#[test]
fn a_lane_of_a_detached_head_is_detached() {
    let project = TestProject::repository();
    project.git(&["checkout", "--quiet", "--detach"]);
    let lane = create(&project);
    assert_eq!(git(&lane, &["status", "--porcelain", "--branch"]), "## HEAD (no branch)\n");
    assert_eq!(git(&lane, &["rev-parse", "HEAD"]).trim(), project.head());
}

#[test]
fn a_lane_reads_the_objects_that_the_repository_reads_elsewhere() {
    let project = TestProject::repository();
    let shared = project.beside("a:b \"odd\"");
    project.git(&["clone", "--quiet", "--shared", ".", &shared.to_string_lossy()]);
    // A relative name counts from the directory of objects.
    let alternates = "# a comment\n../../../work/.git/objects\n";
    fs::write(shared.join(".git/objects/info/alternates"), alternates).expect("it is ours");
    git(&shared, &["commit", "--quiet", "--allow-empty", "-m", "shared"]);
    let lane = project.beside("lanes/1");
    create_from(&shared, &lane);
    assert_eq!(git(&lane, &["rev-list", "--count", "HEAD"]), "2\n");
    git(&lane, &["fsck", "--full"]);
    let text = fs::read_to_string(lane.join(".git/objects/info/alternates")).expect("it is text");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn file_names_with_odd_bytes_and_modes_are_the_same() {
    let project = TestProject::repository();
    let odd = OsStr::from_bytes(b"new\nline \xff\" tab\t");
    fs::write(project.work.join(odd), "odd").expect("it is ours");
    std::os::unix::fs::symlink("a.txt", project.work.join("link")).expect("it is ours");
    project.write("-dash", "x").write("run.sh", "#!/bin/sh\n");
    let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    fs::set_permissions(project.work.join("run.sh"), mode).expect("it is ours");
    project.commit();
    let lane = create(&project);
    assert_eq!(fs::read_to_string(lane.join(odd)).expect("it is there"), "odd");
    assert_eq!(fs::read_link(lane.join("link")).expect("it is a link"), OsStr::new("a.txt"));
    let args = ["ls-files", "--stage", "-z"];
    assert_eq!(git(&lane, &args), project.git(&args));
}
