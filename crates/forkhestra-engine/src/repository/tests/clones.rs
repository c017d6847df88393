//! Tests of clones with the work tree of a snapshot.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use forkhestra_core::event::WorkTreeSnapshot;
use forkhestra_core::id::RunId;

use crate::test_project::{RUN, TestProject, inherited, keep};
use crate::{
    SnapshotClone, SnapshotCloneError, SnapshotCloneRequest, SnapshotLocation, SnapshotReader,
};

fn reader(project: &TestProject) -> SnapshotReader {
    let run = RunId::parse(RUN).expect("it is an id");
    let location = SnapshotLocation {
        run: &run,
        directory: &project.work,
        persistent_directory: &project.beside("run/kept"),
        environment: &inherited(),
    };
    SnapshotReader::open(location).expect("it is a repository")
}

fn take_snapshot(project: &mut TestProject, number: u32) -> WorkTreeSnapshot {
    project.observe(&keep(number)).snapshot.expect("it is kept")
}

fn clone(
    project: &TestProject,
    snapshot: &WorkTreeSnapshot,
    head: Option<&str>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<SnapshotClone, SnapshotCloneError> {
    let directory = place(project);
    let branch = "forkhestra/new";
    let request =
        SnapshotCloneRequest { snapshot, head, directory: &directory, branch, is_cancelled };
    reader(project).clone_into(request)
}

fn place(project: &TestProject) -> PathBuf {
    project.beside("forks/new/clone")
}

fn git_in(directory: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    let output = command.arg("-C").arg(directory).args(args).output().expect("git is there");
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_clone_has_modes_links_and_removed_files_as_they_were() {
    let mut project = TestProject::kept_repository();
    project.write("removed.txt", "x").write("dir/kept.txt", "k").write("run.sh", "#!/bin/sh\n");
    project.commit();
    let head = project.head();
    project.remove("removed.txt").write("a.txt", "changed").write("new/deep.txt", "new");
    symlink("a.txt", project.work.join("link")).expect("it is ours");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(project.work.join("run.sh"), mode).expect("it is ours");
    let snapshot = take_snapshot(&mut project, 0);
    let expected = project.git(&["status", "--porcelain"]);
    project.write("a.txt", "later");
    clone(&project, &snapshot, Some(&head), &|| false).expect("it can be cloned");
    let directory = place(&project);
    assert_eq!(git_in(&directory, &["status", "--porcelain"]), expected);
    assert_eq!(fs::read_to_string(directory.join("link")).expect("it leads there"), "changed");
    assert_eq!(git_in(&directory, &["rev-parse", "HEAD"]).trim(), head);
    assert_eq!(git_in(&directory, &["symbolic-ref", "--short", "HEAD"]), "forkhestra/new\n");
}

#[test]
fn nothing_is_left_of_a_clone_that_is_cancelled() {
    let mut project = TestProject::kept_repository();
    let snapshot = take_snapshot(&mut project, 0);
    let (head, before) = (project.head(), project.git(&["for-each-ref"]));
    let mut calls = 0_u32;
    loop {
        let left = Cell::new(calls);
        let is_cancelled = || left.replace(left.get().saturating_sub(1)) == 0;
        match clone(&project, &snapshot, Some(&head), &is_cancelled) {
            Err(SnapshotCloneError::Cancelled) => {
                assert!(!project.beside("forks").exists(), "{calls}");
            }
            made => break made.expect("it was not cancelled").remove().expect("it can be removed"),
        }
        calls += 1;
    }
    assert!(calls >= 3, "{calls}");
    assert!(!project.beside("forks").exists());
    assert_eq!(project.git(&["for-each-ref"]), before);
}

#[test]
fn what_others_put_beside_a_removed_clone_stays() {
    let mut project = TestProject::kept_repository();
    let snapshot = take_snapshot(&mut project, 0);
    let made = clone(&project, &snapshot, Some(&project.head()), &|| false).expect("it is made");
    fs::write(project.beside("forks/other"), "x").expect("it is ours");
    made.remove().expect("it can be removed");
    assert!(project.beside("forks/other").exists() && !project.beside("forks/new").exists());
}

/// An agent can delete refs and objects. The copy of the snapshot is left.
#[test]
fn a_snapshot_whose_objects_are_gone_is_cloned_from_its_backup() {
    let mut project = TestProject::kept_repository();
    take_snapshot(&mut project, 0);
    project.write("work.txt", "precious");
    let snapshot = take_snapshot(&mut project, 1);
    let head = project.head();
    project.remove("work.txt");
    let run = format!("refs/forkhestra/{RUN}/1");
    project.git(&["update-ref", "-d", &run]);
    project.git(&["reflog", "expire", "--expire=now", "--all"]);
    project.git(&["gc", "--quiet", "--prune=now"]);
    clone(&project, &snapshot, Some(&head), &|| false).expect("it can be cloned");
    let text = fs::read_to_string(place(&project).join("work.txt"));
    assert_eq!(text.expect("it is there"), "precious");
}

#[test]
fn branches_are_left_out_if_one_of_them_is_broken() {
    let mut project = TestProject::kept_repository();
    let snapshot = take_snapshot(&mut project, 0);
    let broken = format!("{}\n", "1".repeat(40));
    fs::write(project.work.join(".git/refs/heads/broken"), broken).expect("it is ours");
    let made = clone(&project, &snapshot, Some(&project.head()), &|| false).expect("it is made");
    assert!(made.without_refs.is_some());
    let directory = place(&project);
    assert_eq!(git_in(&directory, &["log", "--format=%s"]).lines().count(), 1);
    assert_eq!(git_in(&directory, &["for-each-ref"]).lines().count(), 1);
}

#[test]
fn a_lost_commit_cannot_be_cloned() {
    let mut project = TestProject::kept_repository();
    let snapshot = take_snapshot(&mut project, 0);
    let lost = "2".repeat(40);
    let error = clone(&project, &snapshot, Some(&lost), &|| false).expect_err("it is lost");
    assert!(matches!(error, SnapshotCloneError::NoCommit(_)), "{error}");
    let gone = WorkTreeSnapshot { number: 7, commit: lost };
    let error = clone(&project, &gone, None, &|| false).expect_err("it is gone");
    assert!(matches!(error, SnapshotCloneError::Snapshot(_)), "{error}");
    assert!(!project.beside("forks").exists());
}

#[test]
fn line_ends_are_those_of_the_settings() {
    let mut project = TestProject::kept_repository();
    project.git(&["config", "core.autocrlf", "true"]);
    project.write("crlf.txt", "a\r\nb\r\n");
    project.commit();
    project.write("crlf.txt", "a\r\nc\r\n");
    let snapshot = take_snapshot(&mut project, 0);
    clone(&project, &snapshot, Some(&project.head()), &|| false).expect("it can be cloned");
    let text = fs::read_to_string(place(&project).join("crlf.txt"));
    assert_eq!(text.expect("it is there"), "a\r\nc\r\n");
}

#[test]
fn two_clones_do_not_share_a_directory() {
    let mut project = TestProject::kept_repository();
    let snapshot = take_snapshot(&mut project, 0);
    let head = project.head();
    let made = clone(&project, &snapshot, Some(&head), &|| false).expect("it is made");
    fs::write(place(&project).join("work.txt"), "precious").expect("it is ours");
    let error = clone(&project, &snapshot, Some(&head), &|| false).expect_err("it is not empty");
    assert!(matches!(error, SnapshotCloneError::Occupied), "{error}");
    assert_eq!(git_in(&place(&project), &["status", "--porcelain"]), "?? work.txt\n");
    made.remove().expect("it can be removed");
    // Another process claims the same empty directory.
    fs::create_dir_all(place(&project)).expect("it is ours");
    let claim = Cell::new(false);
    let is_cancelled = || {
        if !claim.replace(true) {
            let error =
                clone(&project, &snapshot, Some(&head), &|| false).expect_err("it is taken");
            assert!(matches!(error, SnapshotCloneError::Occupied), "{error}");
        }
        false
    };
    clone(&project, &snapshot, Some(&head), &is_cancelled).expect("the first one is made");
    assert_eq!(git_in(&place(&project), &["rev-parse", "HEAD"]).trim(), head);
}

#[expect(clippy::print_stderr, reason = "a test that does not test has to say so")]
fn report_skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// A directory on another file system than the project; none if this machine has no other.
fn elsewhere(project: &TestProject) -> Option<tempfile::TempDir> {
    let device = |path: &Path| fs::metadata(path).expect("it is there").dev();
    let directory = tempfile::tempdir_in("/dev/shm").ok()?;
    (device(directory.path()) != device(&project.work)).then_some(directory)
}

#[test]
fn a_clone_and_a_backup_may_be_on_another_file_system() {
    let mut project = TestProject::kept_repository();
    let Some(other) = elsewhere(&project) else {
        return report_skipped("/dev/shm is on no other file system");
    };
    let kept = project.beside("run/kept");
    let _ = fs::remove_dir_all(&kept);
    fs::create_dir_all(kept.parent().expect("it has one")).expect("it is ours");
    symlink(other.path(), &kept).expect("it is ours");
    project.write("work.txt", "precious");
    let snapshot = take_snapshot(&mut project, 0);
    let packs =
        || fs::read_dir(project.work.join(".git/objects/pack")).expect("it is there").count();
    let before = packs();
    let backup = other.path().join("snapshots.git");
    assert_eq!(
        git_in(&backup, &["show", &format!("refs/forkhestra/{RUN}/0:work.txt")]),
        "precious"
    );
    symlink(other.path(), project.beside("forks")).expect("it is ours");
    clone(&project, &snapshot, Some(&project.head()), &|| false).expect("it can be cloned");
    assert_eq!(git_in(&place(&project), &["fsck", "--full", "--strict", "--no-dangling"]), "");
    assert_eq!(packs(), before);
}
