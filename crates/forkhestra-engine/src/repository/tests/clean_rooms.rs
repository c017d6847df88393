//! Tests of clean rooms.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::repository::CleanRooms;
use crate::repository::worktree_entries::LOCK_FILE;
use crate::test_project::TestProject;

struct CleanRoomProject {
    project: TestProject,
    rooms: CleanRooms,
}

impl CleanRoomProject {
    fn new(project: TestProject) -> Self {
        let rooms = CleanRooms::new(&project.beside("kept"));
        Self { project, rooms }
    }

    fn prepare(&mut self, keep: &[&str]) -> Result<PathBuf, String> {
        let keep: Vec<String> = keep.iter().map(|name| (*name).to_owned()).collect();
        let directory = self.project.tree.places().directory.clone();
        let rooms = self.rooms.clone();
        let made = self.project.session(|session| rooms.prepare(session, &directory, &keep));
        made.map_err(|error| error.to_string())
    }

    /// Simulates a killed run that continues in another process.
    fn die(&mut self) {
        self.rooms = CleanRooms::new(&self.project.beside("kept"));
    }

    fn work_trees(&self) -> usize {
        self.project.git(&["worktree", "list"]).lines().count()
    }

    fn is_clean(&self) -> bool {
        let left = self.project.beside("kept/room").exists();
        !left && self.work_trees() == 1 && !self.project.beside("kept").join(LOCK_FILE).exists()
    }
}

fn names(room: &Path) -> Vec<String> {
    let entries = fs::read_dir(room).expect("it is there").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_room_holds_committed_files_only() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    rooms.project.write("a.txt", "not saved").write("untracked.txt", "x");
    rooms.project.git(&["rm", "--quiet", "--cached", "a.txt"]);
    let trace = rooms.project.hook("post-checkout");
    let status = rooms.project.git(&["status", "--porcelain"]);
    let room = rooms.prepare(&[]).expect("there is a commit");
    assert_eq!(names(&room), [".git", "a.txt"]);
    assert_eq!(fs::read_to_string(room.join("a.txt")).expect("it is there"), "a");
    assert!(!trace.exists(), "no hook was run");
    rooms.rooms.clear().expect("it is ours");
    assert!(rooms.is_clean());
    assert_eq!(rooms.project.git(&["status", "--porcelain"]), status);
    assert!(!rooms.project.work.join(".git/worktrees/room").exists());
}

#[test]
fn an_unchecked_out_submodule_is_checked_out_in_the_room() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    rooms.project.write("tests/b.txt", "b").commit();
    rooms.project.git(&["sparse-checkout", "set", "--no-cone", "/*", "!tests"]);
    assert!(!rooms.project.work.join("tests").exists());
    let room = rooms.prepare(&[]).expect("there is a commit");
    assert_eq!(names(&room), [".git", "a.txt", "tests"]);
    assert!(!rooms.project.work.join("tests").exists());
    rooms.rooms.clear().expect("it is ours");
    assert!(rooms.is_clean());
}

#[test]
fn checks_run_in_the_room_where_agents_work() {
    let mut project = TestProject::repository();
    project.write("sub/dir/b.txt", "b").commit();
    project.work_in("sub/dir", None);
    let mut rooms = CleanRoomProject::new(project);
    let room = rooms.prepare(&[]).expect("there is a commit");
    assert_eq!(names(&room), ["b.txt"]);
    rooms.project.work_in("not committed", None);
    let notice = "`not committed` is not committed, so that nothing can be checked there: commit it \
                first";
    assert_eq!(rooms.prepare(&[]), Err(notice.to_owned()));
    assert!(rooms.is_clean());
}

#[test]
fn without_a_commit_there_is_no_room() {
    let project = TestProject::new();
    project.git(&["init", "--quiet"]);
    let notice = "there is no commit yet, and a clean room holds nothing but commits: commit first";
    assert_eq!(CleanRoomProject::new(project).prepare(&[]), Err(notice.to_owned()));
}

#[test]
fn caches_move_from_room_to_room_and_never_replace_committed_files() {
    let project = TestProject::repository();
    project.write("vendor/x", "committed").commit();
    let mut rooms = CleanRoomProject::new(project);
    let keep = ["./target/debug", "vendor", "never made"];
    let room = rooms.prepare(&keep).expect("there is a commit");
    fs::create_dir_all(room.join("target/debug/deep")).expect("it is ours");
    fs::write(room.join("target/debug/deep/cache"), "warm").expect("it is ours");
    fs::write(room.join("target/other"), "not kept").expect("it is ours");
    fs::write(room.join("vendor/x"), "changed by a check").expect("it is ours");
    rooms.rooms.clear().expect("it is ours");
    let room = rooms.prepare(&keep).expect("there is a commit");
    let text = |name: &str| fs::read_to_string(room.join(name)).expect("it is there");
    assert_eq!(
        (text("target/debug/deep/cache"), text("vendor/x")),
        ("warm".into(), "committed".into())
    );
    assert!(!room.join("target/other").exists());
    rooms.rooms.clear().expect("it is ours");
    assert!(rooms.is_clean());
}

#[test]
fn nothing_outside_the_room_is_kept() {
    let project = TestProject::repository();
    let outside = project.beside("outside");
    fs::create_dir(&outside).expect("it is ours");
    fs::write(outside.join("precious"), "x").expect("it is ours");
    symlink(&outside, project.work.join("link")).expect("it is ours");
    project.commit();
    let mut rooms = CleanRoomProject::new(project);
    for name in ["../x", "/tmp/x", "a/../../x", ""] {
        let refused = rooms.prepare(&[name]).expect_err("it is outside");
        assert!(refused.starts_with(&format!("`{name}` cannot be kept")), "{refused}");
    }
    rooms.prepare(&["link/precious"]).expect("there is a commit");
    rooms.rooms.clear().expect("it is ours");
    assert_eq!(names(&outside), ["precious"]);
}

#[test]
fn leftovers_of_a_killed_process_are_removed_with_the_next_room() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    let room = rooms.prepare(&["cache"]).expect("there is a commit");
    fs::write(room.join("cache"), "warm").expect("it is ours");
    fs::write(room.join("left.txt"), "x").expect("it is ours");
    rooms.die();
    let room = rooms.prepare(&["cache"]).expect("no other run uses it");
    assert_eq!(names(&room), [".git", "a.txt", "cache"]);
    rooms.rooms.clear().expect("it is ours");
    assert!(rooms.is_clean());
}

#[test]
fn abandoned_rooms_are_removed_and_live_ones_kept() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    let (mine, names) = (rooms.rooms.clone(), ["living", "dead", "gone"]);
    let [living, dead, gone] = names.map(|name| {
        rooms.rooms = CleanRooms::new(&rooms.project.beside(name));
        rooms.prepare(&[]).expect("there is a commit");
        rooms.rooms.clone()
    });
    rooms.rooms = mine.clone();
    assert_eq!(rooms.work_trees(), 4);
    // This releases their locks.
    drop((dead, gone));
    let unplugged = rooms.project.beside("unplugged");
    rooms.project.git(&[
        "worktree",
        "add",
        "--quiet",
        "--detach",
        unplugged.to_str().expect("text"),
    ]);
    fs::remove_dir_all(&unplugged).expect("it is ours");
    fs::remove_dir_all(rooms.project.beside("gone")).expect("it is ours");
    rooms.prepare(&[]).expect("there is a commit");
    let listed = rooms.project.git(&["worktree", "list"]);
    let is_there = |name: &str| listed.contains(&rooms.project.beside(name).display().to_string());
    assert!(is_there("living/room") && is_there("kept/room"), "{listed}");
    assert!(!is_there("dead/room") && !is_there("gone/room"), "{listed}");
    assert!(is_there("unplugged"), "what is the user's is none of our business: {listed}");
    assert!(!rooms.project.beside("dead/room").exists());
    mine.clear().expect("it is ours");
    living.clear().expect("it is ours");
}

#[test]
fn a_room_is_removed_even_from_read_only_directories() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    let room = rooms.prepare(&[]).expect("there is a commit");
    fs::create_dir_all(room.join("locked/deep")).expect("it is ours");
    fs::write(room.join("locked/deep/x"), "x").expect("it is ours");
    for name in ["locked/deep", "locked"] {
        let mode = fs::Permissions::from_mode(0o500);
        fs::set_permissions(room.join(name), mode).expect("it is ours");
    }
    rooms.rooms.clear().expect("it is ours");
    assert!(rooms.is_clean());
}

#[test]
fn a_killed_git_leaves_no_room() {
    let fails = r#"case "$*" in *"worktree add"*) PATH=/usr/local/bin:/usr/bin:/bin; git "$@"; kill -9 $$;; esac"#;
    let script = format!("{fails}; PATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"");
    let mut rooms = CleanRoomProject::new(TestProject::repository().with_git(&script));
    let error = rooms.prepare(&[]).expect_err("it was killed");
    assert!(error.starts_with("a clean room cannot be made: git worktree failed"), "{error}");
    assert!(rooms.is_clean());
}

#[test]
fn submodules_are_reported_as_missing() {
    let project = TestProject::repository();
    let other = TestProject::repository();
    project.git(&[
        "submodule",
        "--quiet",
        "add",
        other.work.to_str().expect("it is a text"),
        "sub",
    ]);
    project.commit();
    let mut room_project = CleanRoomProject::new(project);
    room_project.prepare(&[]).expect("there is a commit");
    assert!(room_project.rooms.lacks_submodules());
    room_project.rooms.clear().expect("it is ours");
    assert!(room_project.is_clean());
}
