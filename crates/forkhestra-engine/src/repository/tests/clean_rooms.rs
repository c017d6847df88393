//! Tests of clean rooms.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::repository::CleanRooms;
use crate::repository::worktree_entries::LOCK;
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
        !left && self.work_trees() == 1 && !self.project.beside("kept").join(LOCK).exists()
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
fn a_room_holds_what_is_committed_and_nothing_else() {
    let mut place = CleanRoomProject::new(TestProject::repository());
    place.project.write("a.txt", "not saved").write("untracked.txt", "x");
    place.project.git(&["rm", "--quiet", "--cached", "a.txt"]);
    let trace = place.project.hook("post-checkout");
    let status = place.project.git(&["status", "--porcelain"]);
    let room = place.prepare(&[]).expect("there is a commit");
    assert_eq!(names(&room), [".git", "a.txt"]);
    assert_eq!(fs::read_to_string(room.join("a.txt")).expect("it is there"), "a");
    assert!(!trace.exists(), "no hook was run");
    place.rooms.clear().expect("it is ours");
    assert!(place.is_clean());
    assert_eq!(place.project.git(&["status", "--porcelain"]), status);
    assert!(!place.project.work.join(".git/worktrees/room").exists());
}

#[test]
fn a_part_that_is_not_checked_out_elsewhere_is_in_the_room() {
    let mut place = CleanRoomProject::new(TestProject::repository());
    place.project.write("tests/b.txt", "b").commit();
    place.project.git(&["sparse-checkout", "set", "--no-cone", "/*", "!tests"]);
    assert!(!place.project.work.join("tests").exists());
    let room = place.prepare(&[]).expect("there is a commit");
    assert_eq!(names(&room), [".git", "a.txt", "tests"]);
    assert!(!place.project.work.join("tests").exists());
    place.rooms.clear().expect("it is ours");
    assert!(place.is_clean());
}

#[test]
fn checks_run_in_the_room_where_agents_work() {
    let mut project = TestProject::repository();
    project.write("sub/dir/b.txt", "b").commit();
    project.work_in("sub/dir", None);
    let mut place = CleanRoomProject::new(project);
    let room = place.prepare(&[]).expect("there is a commit");
    assert_eq!(names(&room), ["b.txt"]);
    place.project.work_in("not committed", None);
    let told = "`not committed` is not committed, so that nothing can be checked there: commit it \
                first";
    assert_eq!(place.prepare(&[]), Err(told.to_owned()));
    assert!(place.is_clean());
}

#[test]
fn without_a_commit_there_is_no_room() {
    let project = TestProject::new();
    project.git(&["init", "--quiet"]);
    let told = "there is no commit yet, and a clean room holds nothing but commits: commit first";
    assert_eq!(CleanRoomProject::new(project).prepare(&[]), Err(told.to_owned()));
}

#[test]
fn caches_go_from_room_to_room_but_never_over_what_is_committed() {
    let project = TestProject::repository();
    project.write("vendor/x", "committed").commit();
    let mut place = CleanRoomProject::new(project);
    let keep = ["./target/debug", "vendor", "never made"];
    let room = place.prepare(&keep).expect("there is a commit");
    fs::create_dir_all(room.join("target/debug/deep")).expect("it is ours");
    fs::write(room.join("target/debug/deep/cache"), "warm").expect("it is ours");
    fs::write(room.join("target/other"), "not kept").expect("it is ours");
    fs::write(room.join("vendor/x"), "changed by a check").expect("it is ours");
    place.rooms.clear().expect("it is ours");
    let room = place.prepare(&keep).expect("there is a commit");
    let text = |name: &str| fs::read_to_string(room.join(name)).expect("it is there");
    assert_eq!(
        (text("target/debug/deep/cache"), text("vendor/x")),
        ("warm".into(), "committed".into())
    );
    assert!(!room.join("target/other").exists());
    place.rooms.clear().expect("it is ours");
    assert!(place.is_clean());
}

#[test]
fn nothing_outside_the_room_is_kept() {
    let project = TestProject::repository();
    let outside = project.beside("outside");
    fs::create_dir(&outside).expect("it is ours");
    fs::write(outside.join("precious"), "x").expect("it is ours");
    symlink(&outside, project.work.join("link")).expect("it is ours");
    project.commit();
    let mut place = CleanRoomProject::new(project);
    for name in ["../x", "/tmp/x", "a/../../x", ""] {
        let refused = place.prepare(&[name]).expect_err("it is outside");
        assert!(refused.starts_with(&format!("`{name}` cannot be kept")), "{refused}");
    }
    place.prepare(&["link/precious"]).expect("there is a commit");
    place.rooms.clear().expect("it is ours");
    assert_eq!(names(&outside), ["precious"]);
}

#[test]
fn what_we_left_when_we_were_killed_is_removed_with_the_next_room() {
    let mut place = CleanRoomProject::new(TestProject::repository());
    let room = place.prepare(&["cache"]).expect("there is a commit");
    fs::write(room.join("cache"), "warm").expect("it is ours");
    fs::write(room.join("left.txt"), "x").expect("it is ours");
    place.die();
    let room = place.prepare(&["cache"]).expect("nobody else uses it");
    assert_eq!(names(&room), [".git", "a.txt", "cache"]);
    place.rooms.clear().expect("it is ours");
    assert!(place.is_clean());
}

#[test]
fn rooms_of_others_are_removed_if_they_are_dead_and_left_alone_if_not() {
    let mut place = CleanRoomProject::new(TestProject::repository());
    let (mine, names) = (place.rooms.clone(), ["living", "dead", "gone"]);
    let [living, dead, gone] = names.map(|name| {
        place.rooms = CleanRooms::new(&place.project.beside(name));
        place.prepare(&[]).expect("there is a commit");
        place.rooms.clone()
    });
    place.rooms = mine.clone();
    assert_eq!(place.work_trees(), 4);
    // This releases their locks.
    drop((dead, gone));
    let unplugged = place.project.beside("unplugged");
    place.project.git(&[
        "worktree",
        "add",
        "--quiet",
        "--detach",
        unplugged.to_str().expect("text"),
    ]);
    fs::remove_dir_all(&unplugged).expect("it is ours");
    fs::remove_dir_all(place.project.beside("gone")).expect("it is ours");
    place.prepare(&[]).expect("there is a commit");
    let listed = place.project.git(&["worktree", "list"]);
    let is_there = |name: &str| listed.contains(&place.project.beside(name).display().to_string());
    assert!(is_there("living/room") && is_there("kept/room"), "{listed}");
    assert!(!is_there("dead/room") && !is_there("gone/room"), "{listed}");
    assert!(is_there("unplugged"), "what is the user's is none of our business: {listed}");
    assert!(!place.project.beside("dead/room").exists());
    mine.clear().expect("it is ours");
    living.clear().expect("it is ours");
}

#[test]
fn a_room_is_removed_even_where_nobody_may_write() {
    let mut place = CleanRoomProject::new(TestProject::repository());
    let room = place.prepare(&[]).expect("there is a commit");
    fs::create_dir_all(room.join("locked/deep")).expect("it is ours");
    fs::write(room.join("locked/deep/x"), "x").expect("it is ours");
    for name in ["locked/deep", "locked"] {
        let mode = fs::Permissions::from_mode(0o500);
        fs::set_permissions(room.join(name), mode).expect("it is ours");
    }
    place.rooms.clear().expect("it is ours");
    assert!(place.is_clean());
}

#[test]
fn a_git_that_is_killed_on_the_way_leaves_nothing() {
    let fails = r#"case "$*" in *"worktree add"*) PATH=/usr/local/bin:/usr/bin:/bin; git "$@"; kill -9 $$;; esac"#;
    let script = format!("{fails}; PATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"");
    let mut place = CleanRoomProject::new(TestProject::repository().with_git(&script));
    let told = place.prepare(&[]).expect_err("it was killed");
    assert!(told.starts_with("a clean room cannot be made: git worktree failed"), "{told}");
    assert!(place.is_clean());
}

#[test]
fn submodules_are_missed() {
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
    let mut place = CleanRoomProject::new(project);
    place.prepare(&[]).expect("there is a commit");
    assert!(place.rooms.lacks_submodules());
    place.rooms.clear().expect("it is ours");
    assert!(place.is_clean());
}
