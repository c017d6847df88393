//! Files that no commit has, in lanes.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{create, open_source};
use crate::test_project::{TestProject, git};
use crate::{FilledFiles, LaneClone, LaneError, LaneFilling, MeasuredSize};

fn fill(
    project: &TestProject,
    lane: &Path,
    copy: &[&str],
    keep: &[&str],
    previous: Option<&Path>,
) -> Result<FilledFiles, LaneError> {
    let source = open_source(&project.work);
    let texts =
        |names: &[&str]| -> Vec<String> { names.iter().map(|it| (*it).to_owned()).collect() };
    let (copy, keep) = (texts(copy), texts(keep));
    let filling = LaneFilling { copy: &copy, keep: &keep, previous, is_cancelled: &|| false };
    LaneClone::open(&source, lane, None).expect("it is a lane").fill(&source, filling)
}

/// A project with ignored files, of which some are included.
fn with_ignored_files() -> TestProject {
    let project = TestProject::repository();
    project.write(".gitignore", ".env*\nsecrets/\nnode_modules/\n*.log\nlink\npipe\n");
    project.write(".worktreeinclude", ".env*\n!.env.remote\n/secrets/\nlink\na.txt\nplain.txt\n");
    project.commit();
    project.write(".env", "A=1").write(".env.remote", "B=2").write("secrets/deep/key", "k");
    project
        .write("node_modules/x/index.js", "js")
        .write("plain.txt", "untracked")
        .write("x.log", "l");
    let set = |name: &str, mode| {
        let path = project.work.join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    set("secrets", 0o700);
    set("secrets/deep/key", 0o640);
    symlink("/nowhere/at all", project.work.join("link")).expect("it is ours");
    project
}

#[test]
fn ignored_files_that_are_named_are_copied_and_others_are_not() {
    let project = with_ignored_files();
    let lane = create(&project);
    let filled = fill(&project, &lane, &["*.log"], &[], None).expect("it can be filled");
    assert_eq!(filled, FilledFiles { copied: 4, ..<_>::default() });
    let read = |name: &str| fs::read_to_string(lane.join(name)).ok();
    assert_eq!(read(".env").as_deref(), Some("A=1"));
    assert_eq!(read("secrets/deep/key").as_deref(), Some("k"));
    assert_eq!(read("x.log").as_deref(), Some("l"));
    let link = fs::read_link(lane.join("link")).expect("it is a link");
    assert_eq!(link, Path::new("/nowhere/at all"));
    for name in [".env.remote", "node_modules", "plain.txt"] {
        assert!(lane.join(name).symlink_metadata().is_err(), "{name}");
    }
    let mode = |name: &str| {
        fs::metadata(lane.join(name)).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!((mode("secrets"), mode("secrets/deep/key")), (0o700, 0o640));
    // What an agent changed since is not replaced.
    fs::write(lane.join(".env"), "C=3").expect("it is ours");
    let again = fill(&project, &lane, &["*.log"], &[], None).expect("it can be repeated");
    assert_eq!((again.copied, read(".env").as_deref()), (0, Some("C=3")));
}

#[test]
fn without_patterns_nothing_is_copied() {
    let project = TestProject::repository();
    project.write(".gitignore", "*.log\n").commit();
    project.write("x.log", "l");
    let lane = create(&project);
    assert_eq!(fill(&project, &lane, &[], &[], None).expect("it is filled"), <_>::default());
    assert_eq!(fill(&project, &lane, &["none"], &[], None).expect("it is filled").copied, 0);
}

#[test]
fn what_cannot_be_copied_is_named() {
    let project = with_ignored_files();
    // Git lists no pipes, but the directory of another repository.
    git(&project.work, &["init", "--quiet", "secrets/inner"]);
    project.write("secrets/inner/file", "f");
    let pipe = project.work.join("secrets/inner/pipe");
    mknodat(CWD, pipe, FileType::Fifo, Mode::RWXU, 0).expect("it is ours");
    let lane = create(&project);
    let filled = fill(&project, &lane, &[], &[], None).expect("the rest is copied");
    assert_eq!(filled.skipped, [Path::new("secrets/inner/pipe")]);
    assert!(lane.join("secrets/inner/file").exists() && lane.join("secrets/inner/.git").exists());
    // A file stands where a directory belongs.
    let lane = project.beside("lanes/2");
    super::create_from(&project.work, &lane);
    fs::write(lane.join("secrets"), "in the way").expect("it is ours");
    let error = fill(&project, &lane, &[], &[], None).expect_err("it is in the way").to_string();
    let name = lane.join("secrets").display().to_string();
    assert!(error.starts_with(&name), "{error}");
}

#[test]
fn a_filling_that_is_cancelled_ends_between_two_files() {
    let project = with_ignored_files();
    let lane = create(&project);
    let source = open_source(&project.work);
    let calls = Cell::new(0);
    let is_cancelled = || calls.replace(calls.get() + 1) == 1;
    let filling = LaneFilling { copy: &[], keep: &[], previous: None, is_cancelled: &is_cancelled };
    let opened = LaneClone::open(&source, &lane, None).expect("it is a lane");
    let error = opened.fill(&source, filling).expect_err("it is cancelled");
    assert!(matches!(error, LaneError::Cancelled), "{error}");
    assert!(lane.join(".env").exists() && !lane.join("secrets").exists());
}

#[test]
fn kept_directories_come_from_the_previous_lane() {
    let project = with_ignored_files();
    let previous = create(&project);
    for (name, text) in
        [("node_modules/x/a.js", "warm"), ("deep/target/o", "o"), ("a.txt", "agent's")]
    {
        let path = previous.join(name);
        fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
        fs::write(path, text).expect("it is ours");
    }
    let lane = project.beside("lanes/2");
    super::create_from(&project.work, &lane);
    let keep = ["node_modules", "./deep/target", "a.txt", "missing"];
    let filled = fill(&project, &lane, &[], &keep, Some(&previous)).expect("it is filled");
    assert_eq!(filled.kept, ["node_modules", "deep/target"].map(PathBuf::from));
    let read = |place: &Path, name: &str| fs::read_to_string(place.join(name)).ok();
    assert_eq!(read(&lane, "node_modules/x/a.js").as_deref(), Some("warm"));
    assert_eq!(read(&lane, "deep/target/o").as_deref(), Some("o"));
    assert_eq!(read(&lane, "a.txt").as_deref(), Some("a"), "a tracked file stays");
    assert!(!previous.join("node_modules").exists());
    let gone = project.beside("lanes/none");
    assert_eq!(fill(&project, &lane, &[], &keep, Some(&gone)).expect("it is gone").kept.len(), 0);
    for name in ["../x", "/etc", ""] {
        let error = fill(&project, &lane, &[], &[name], None).expect_err("it is outside");
        assert!(matches!(error, LaneError::NotInside(_)), "{error}");
    }
}

#[test]
fn what_a_lane_lacks_is_listed_with_its_size() {
    let project = with_ignored_files();
    project.write(".agent-state/view", "ours").write("src/x.log", "four");
    fs::write(project.work.join(".git/info/exclude"), ".agent-state\n").expect("it is ours");
    let source = open_source(&project.work);
    let listed = |copy: &[String]| -> Vec<(String, bool, u64)> {
        let lacking = source.lacking(copy).expect("it is listed");
        let entry = |entry: &crate::LackingEntry| {
            assert!(!entry.size.is_cut);
            (entry.path.display().to_string(), entry.is_directory, entry.size.bytes)
        };
        lacking.iter().map(entry).collect()
    };
    let entry = |name: &str, is_directory, bytes| (name.to_owned(), is_directory, bytes);
    let logs = [entry("src/x.log", false, 4), entry("x.log", false, 1)];
    let modules = entry("node_modules", true, 2);
    let remote = entry(".env.remote", false, 3);
    assert_eq!(listed(&[]), [remote.clone(), modules.clone(), logs[0].clone(), logs[1].clone()]);
    assert_eq!(listed(&["*.log".to_owned()]), [remote.clone(), modules]);
    assert_eq!(listed(&["*.log".to_owned(), "node_modules/".to_owned()]), [remote]);
    let tracked = [".gitignore", ".worktreeinclude", "a.txt"];
    let tracked =
        tracked.map(|name| fs::metadata(project.work.join(name)).expect("it is there").len());
    let bytes = tracked.iter().sum();
    let size = source.tracked_size().expect("it is measured");
    assert_eq!(size, MeasuredSize { bytes, is_cut: false });
}
