//! Lanes that cannot be made.

use std::cell::Cell;
use std::fs;

use super::{create, open_source, try_create};
use crate::test_project::{TestProject, git, inherited};
use crate::{LaneClone, LaneError, LaneRequest, LaneSource};

fn open_error(project: &TestProject) -> String {
    LaneSource::open(&project.work, &inherited()).expect_err("it has no lanes").to_string()
}

#[test]
fn without_a_repository_with_a_commit_there_is_no_lane() {
    let project = TestProject::new();
    let error = open_error(&project);
    assert!(error.contains("is not in a git repository"), "{error}");
    project.git(&["init", "--quiet"]);
    let source = open_source(&project.work);
    let lane = project.beside("lanes/1");
    let error = try_create(&source, &lane).expect_err("there is no commit");
    assert!(matches!(error, LaneError::NoCommit), "{error}");
    assert!(!lane.exists());
}

#[test]
fn a_bare_repository_has_no_lanes() {
    let project = TestProject::new();
    project.git(&["init", "--quiet", "--bare"]);
    let error = open_error(&project);
    assert!(error.contains("is in a bare repository"), "{error}");
}

#[test]
fn an_older_git_is_named_with_its_version() {
    for (answer, expected) in [
        ("git version 2.34.1", "lanes need git 2.38 or later, and this is git 2.34.1:"),
        ("git version 2.37.9 (Apple Git-1)", "and this is git 2.37.9 (Apple Git-1):"),
        ("nonsense", "and this is git nonsense:"),
    ] {
        let project = TestProject::repository().with_git(&format!("echo '{answer}'"));
        let path = project.beside("bin").into_os_string();
        let error = LaneSource::open(&project.work, &[("PATH".into(), path)]);
        let error = error.expect_err("it is too old").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn without_git_there_is_no_lane() {
    let project = TestProject::repository();
    let error = LaneSource::open(&project.work, &[]).expect_err("there is no git");
    assert!(matches!(error, LaneError::NoGit), "{error}");
    let mut environment = inherited();
    environment.push(("GIT_DIR".into(), project.work.join(".git").into()));
    let error = LaneSource::open(&project.work, &environment).expect_err("it leads elsewhere");
    assert!(matches!(error, LaneError::LocationOverride("GIT_DIR")), "{error}");
}

#[test]
fn a_directory_with_something_in_it_is_left_alone() {
    let project = TestProject::repository();
    let source = open_source(&project.work);
    let lane = project.beside("lanes/1");
    fs::create_dir_all(&lane).expect("it is ours");
    try_create(&source, &lane).expect("an empty directory is taken");
    fs::write(lane.join("work"), "precious").expect("it is ours");
    let error = try_create(&source, &lane).expect_err("it is not empty");
    assert!(matches!(error, LaneError::Occupied(_)), "{error}");
    assert_eq!(fs::read_to_string(lane.join("work")).expect("it is there"), "precious");
    let file = project.beside("file");
    fs::write(&file, "x").expect("it is ours");
    let error = try_create(&source, &file).expect_err("it is a file");
    assert!(matches!(error, LaneError::Occupied(_)), "{error}");
}

#[test]
fn an_unknown_commit_is_named() {
    let project = TestProject::repository();
    let source = open_source(&project.work);
    let (lane, base) = (project.beside("lanes/1"), "0123456789012345678901234567890123456789");
    let request = LaneRequest { base, branch: None, directory: &lane, is_cancelled: &|| false };
    let error = source.create(request).expect_err("it does not exist");
    assert_eq!(error.to_string(), format!("the commit {base} is not in the repository"));
}

#[test]
fn nothing_is_left_of_a_lane_that_is_cancelled() {
    let project = TestProject::repository();
    let source = open_source(&project.work);
    let (head, directory) = (project.head(), project.beside("lanes/1"));
    let mut calls = 0_u32;
    loop {
        let left = Cell::new(calls);
        let is_cancelled = || left.replace(left.get().saturating_sub(1)) == 0;
        let request = LaneRequest {
            base: &head,
            branch: None,
            directory: &directory,
            is_cancelled: &is_cancelled,
        };
        match source.create(request) {
            Err(LaneError::Cancelled) => {
                let lanes = fs::read_dir(project.beside("lanes")).expect("it is there");
                assert_eq!(lanes.count(), 0, "{calls}");
            }
            made => break made.map(drop).expect("it was not cancelled"),
        }
        calls += 1;
    }
    assert!(calls >= 4, "{calls}");
}

#[test]
fn what_a_killed_process_left_is_replaced() {
    let project = TestProject::repository();
    let left = project.beside("lanes/1.incomplete");
    fs::create_dir_all(left.join(".git")).expect("it is ours");
    fs::write(left.join("half"), "x").expect("it is ours");
    let lane = create(&project);
    assert!(!left.exists() && !lane.join("half").exists());
}

#[test]
fn a_lane_whose_git_leads_elsewhere_is_refused() {
    let project = TestProject::repository();
    let lane = create(&project);
    let source = open_source(&project.work);
    let refusal = || LaneClone::open(&source, &lane, None).expect_err("it leads elsewhere");
    let own = lane.join(".git");
    fs::write(own.join("commondir"), project.work.join(".git").to_string_lossy().as_bytes())
        .expect("it is ours");
    let error = refusal();
    assert!(error.to_string().contains("led to another repository"), "{error}");
    fs::remove_dir_all(&own).expect("it is ours");
    let error = refusal();
    assert!(error.to_string().contains("it has no directory of git"), "{error}");
    let main = format!("gitdir: {}\n", project.work.join(".git").display());
    fs::write(&own, main).expect("it is ours");
    let error = refusal();
    assert!(error.to_string().contains("it has no directory of git"), "{error}");
    assert_eq!(git(&project.work, &["status", "--porcelain"]), "");
}
