//! Tests of clean rooms.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::repository::worktree_entries::LOCK_FILE;
use crate::repository::{CleanRoomRequest, CleanRooms};
use crate::test_project::{TestProject, git, inherited};

struct CleanRoomProject {
    project: TestProject,
    rooms: CleanRooms,
}

impl CleanRoomProject {
    fn new(project: TestProject) -> Self {
        let rooms = CleanRooms::new(&project.beside("run/kept"));
        Self { project, rooms }
    }

    fn prepare(&mut self, keep: &[&str]) -> Result<PathBuf, String> {
        let head = self.project.head();
        let (work, notices) = self.prepare_since(&head, keep)?;
        assert_eq!(notices, [""; 0]);
        Ok(work)
    }

    /// Prepares a room for work that began with a commit. Returns the notices as well.
    fn prepare_since(
        &mut self,
        base: &str,
        keep: &[&str],
    ) -> Result<(PathBuf, Vec<String>), String> {
        let keep: Vec<String> = keep.iter().map(|name| (*name).to_owned()).collect();
        let directory = self.project.tree.places().directory.clone();
        let rooms = self.rooms.clone();
        let request = CleanRoomRequest {
            directory: &directory,
            keep: &keep,
            run_base: Some(base),
            step_base: Some(base),
            lists_changes: false,
        };
        let made = self.project.session(|session| rooms.prepare(session, request));
        made.map(|room| (room.work, room.notices)).map_err(|error| error.to_string())
    }

    /// Simulates a killed run that continues in another process.
    fn die(&mut self) {
        self.rooms = CleanRooms::new(&self.project.beside("run/kept"));
    }

    fn work_trees(&self) -> usize {
        self.project.git(&["worktree", "list"]).lines().count()
    }

    fn is_clean(&self) -> bool {
        let left = self.project.beside("run/kept/room").exists();
        !left && self.work_trees() == 1 && !self.project.beside("run/kept").join(LOCK_FILE).exists()
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
fn a_sparse_checkout_is_complete_in_the_room() {
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
    let head = rooms.project.head();
    rooms.prepare_since(&head, &["link/precious"]).expect("the link is older than the work");
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
    // It was killed while an agent worked.
    let orphan = rooms.project.beside("orphan/kept/room.git");
    fs::create_dir_all(orphan.join("objects")).expect("it is ours");
    let [living, dead] = ["living/kept", "dead/kept"].map(|name| {
        rooms.rooms = CleanRooms::new(&rooms.project.beside(name));
        rooms.prepare(&[]).expect("there is a commit");
        rooms.rooms.clone()
    });
    // This releases its lock.
    drop(dead);
    rooms.rooms = CleanRooms::new(&rooms.project.beside("mine/kept"));
    rooms.prepare(&[]).expect("there is a commit");
    let is_there = |name: &str| rooms.project.beside(name).exists();
    assert!(is_there("living/kept/room/a.txt") && is_there("mine/kept/room/a.txt"));
    assert!(!is_there("dead/kept/room") && !is_there("dead/kept/room.git"));
    assert!(!is_there("orphan/kept/room.git") && !is_there("orphan/kept/room.lock"));
    rooms.rooms.clear_all().expect("it is ours");
    assert!(!is_there("mine/kept/room") && !is_there("mine/kept/room.git"));
    living.clear().expect("it is ours");
}

#[test]
fn rooms_of_older_versions_are_removed() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    let add = |rooms: &CleanRoomProject, name: &str, reason: &str| {
        let path = rooms.project.beside(name);
        let path = path.to_str().expect("it is a text");
        let add = ["worktree", "add", "--quiet", "--detach", "--lock", "--reason", reason, path];
        rooms.project.git(&add);
    };
    let lock = rooms.project.beside("old").join(LOCK_FILE);
    add(&rooms, "old/room", &format!("forkhestra checks here: {}", lock.display()));
    add(&rooms, "unplugged", "of the user");
    fs::remove_dir_all(rooms.project.beside("unplugged")).expect("it is ours");
    rooms.prepare(&[]).expect("there is a commit");
    assert!(!rooms.project.beside("old/room").exists());
    let listed = rooms.project.git(&["worktree", "list"]);
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(listed.contains("unplugged"), "a work tree of the user stays: {listed}");
    rooms.rooms.clear().expect("it is ours");
}

#[test]
fn a_room_is_a_clone_with_history_branches_and_tags() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    rooms.project.git(&["tag", "v1"]);
    rooms.project.git(&["branch", "other"]);
    rooms.project.git(&["config", "remote.origin.url", "/srv/a \"b\".git"]);
    rooms.project.write("b.txt", "b").commit();
    for _ in 0..2 {
        let room = rooms.prepare(&[]).expect("there is a commit");
        assert_eq!(git(&room, &["rev-list", "--count", "HEAD"]), "2\n");
        assert_eq!(git(&room, &["rev-parse", "HEAD"]).trim(), rooms.project.head());
        assert_eq!(git(&room, &["describe", "--tags", "--abbrev=0"]), "v1\n");
        assert_eq!(git(&room, &["rev-list", "--count", "other..HEAD"]), "1\n");
        assert_eq!(git(&room, &["config", "remote.origin.url"]), "/srv/a \"b\".git\n");
        assert_eq!(git(&room, &["status", "--porcelain"]), "");
        git(&room, &["commit", "--quiet", "--allow-empty", "-m", "by a check"]);
        // What a check commits is in its room only.
        rooms.project.git(&["tag", "--delete", "v1"]);
        rooms.project.git(&["tag", "v1", "HEAD~1"]);
    }
    rooms.rooms.clear().expect("it is ours");
    assert!(rooms.is_clean());
}

#[test]
fn every_kind_of_repository_has_rooms() {
    let sha256 = TestProject::new();
    sha256.git(&["init", "--quiet", "--object-format=sha256"]);
    sha256.write("a.txt", "a").commit();
    let named = TestProject::named("with \"quotes\", a space,\na line and 'more':");
    named.git(&["init", "--quiet"]);
    named.write("a.txt", "a").commit();
    let mut work_tree = TestProject::repository();
    let path = work_tree.work.join("linked tree");
    let path = path.to_str().expect("it is a text");
    work_tree.git(&["worktree", "add", "--quiet", "--detach", path]);
    work_tree.work = work_tree.work.join("linked tree");
    work_tree.write("a.txt", "of the linked tree").commit();
    work_tree.work_in("", None);
    for project in [sha256, named, work_tree] {
        let expected = fs::read(project.work.join("a.txt")).expect("it is there");
        let mut rooms = CleanRoomProject::new(project);
        let room = rooms.prepare(&[]).expect("there is a commit");
        assert_eq!(fs::read(room.join("a.txt")).expect("it is there"), expected);
        assert_eq!(git(&room, &["rev-parse", "HEAD"]).trim(), rooms.project.head());
        rooms.rooms.clear().expect("it is ours");
    }
}

#[test]
fn variables_can_lead_to_the_repository() {
    let mut project = TestProject::repository();
    let elsewhere = project.beside("elsewhere.git");
    fs::rename(project.work.join(".git"), &elsewhere).expect("both are ours");
    let mut environment = inherited();
    environment.push(("GIT_DIR".into(), elsewhere.clone().into()));
    environment.push(("GIT_WORK_TREE".into(), project.work.clone().into()));
    project.with_environment(&environment);
    let head = git(&elsewhere, &["rev-parse", "HEAD"]).trim().to_owned();
    let mut rooms = CleanRoomProject::new(project);
    let (room, _) = rooms.prepare_since(&head, &[]).expect("there is a commit");
    assert_eq!(names(&room), [".git", "a.txt"]);
    rooms.rooms.clear().expect("it is ours");
}

#[test]
fn a_shallow_repository_has_shallow_rooms() {
    let origin = TestProject::repository();
    for text in ["1", "2", "3"] {
        origin.write("a.txt", text).commit();
    }
    let mut project = TestProject::new();
    let url = format!("file://{}", origin.work.display());
    project.git(&["clone", "--quiet", "--depth=2", &url, "shallow"]);
    project.work = project.work.join("shallow");
    project.work_in("", None);
    let mut rooms = CleanRoomProject::new(project);
    for _ in 0..2 {
        let head = rooms.project.head();
        let (room, notices) = rooms.prepare_since(&head, &[]).expect("there is a commit");
        assert_eq!(notices, ["the repository is shallow, and so are its clean rooms"]);
        assert_eq!(git(&room, &["rev-list", "--count", "HEAD"]), "2\n");
        rooms.project.write("a.txt", "more").git(&["commit", "--quiet", "--all", "-m", "x"]);
        let shallow = fs::read(rooms.project.work.join(".git/shallow")).expect("it is shallow");
        assert_eq!(fs::read(room.join(".git/shallow")).expect("it is shallow"), shallow);
        rooms.project.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    }
    rooms.rooms.clear().expect("it is ours");
}

#[test]
fn a_partial_clone_has_rooms_without_history() {
    let origin = TestProject::repository();
    origin.write("a.txt", "changed").commit();
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    let mut project = TestProject::new();
    let url = format!("file://{}", origin.work.display());
    project.git(&["clone", "--quiet", "--filter=blob:none", &url, "partial"]);
    project.work = project.work.join("partial");
    project.work_in("", None);
    let mut rooms = CleanRoomProject::new(project);
    let head = rooms.project.head();
    let (room, notices) = rooms.prepare_since(&head, &[]).expect("its files are there");
    let notice = "clean rooms have only the files of the commit, without its history";
    assert!(notices[0].starts_with(notice), "{notices:?}");
    assert_eq!(fs::read_to_string(room.join("a.txt")).expect("it is there"), "changed");
    rooms.rooms.clear().expect("it is ours");
}

#[test]
fn a_broken_branch_does_not_prevent_rooms() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    let main = rooms.project.head();
    rooms.project.git(&["checkout", "--quiet", "-b", "broken"]);
    rooms.project.write("b.txt", "lost").commit();
    let object = rooms.project.git(&["rev-parse", "HEAD:b.txt"]);
    rooms.project.git(&["checkout", "--quiet", &main]);
    let (first, rest) = object.trim().split_at(2);
    let object = rooms.project.work.join(".git/objects").join(first).join(rest);
    fs::remove_file(object).expect("it is loose");
    let (room, notices) = rooms.prepare_since(&main, &[]).expect("the commit is whole");
    let notice = "clean rooms have only the history of the commit, without branches and tags";
    assert!(notices[0].starts_with(notice), "{notices:?}");
    assert_eq!(git(&room, &["for-each-ref"]), "");
    rooms.rooms.clear().expect("it is ours");
}

#[test]
fn a_repository_that_was_touched_is_made_again() {
    let mut rooms = CleanRoomProject::new(TestProject::repository());
    rooms.prepare(&[]).expect("there is a commit");
    let ours = rooms.project.beside("run/kept/room.git");
    git(&ours, &["config", "core.attributesFile", "/tmp/attributes"]);
    fs::write(ours.join("planted"), "x").expect("it is ours");
    rooms.prepare(&[]).expect("there is a commit");
    let config = fs::read_to_string(ours.join("config")).expect("it is there");
    assert!(!config.contains("attributesFile") && !ours.join("planted").exists(), "{config}");
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().expect("there"));
    let before = inode(&ours.join("config"));
    rooms.prepare(&[]).expect("there is a commit");
    assert_eq!(inode(&ours.join("config")), before, "an untouched one is used again");
    rooms.rooms.clear_all().expect("it is ours");
}

#[test]
fn line_endings_follow_the_committed_attributes() {
    let project = TestProject::repository();
    project.write(".gitattributes", "*.bat text eol=crlf\n").write("x.bat", "a\r\n").commit();
    let mut rooms = CleanRoomProject::new(project);
    let room = rooms.prepare(&[]).expect("there is a commit");
    assert_eq!(fs::read(room.join("x.bat")).expect("it is there"), b"a\r\n");
    assert_eq!(git(&room, &["cat-file", "blob", "HEAD:x.bat"]), "a\n");
    rooms.rooms.clear().expect("it is ours");
}

#[test]
fn a_link_that_leaves_the_room_must_be_older_than_the_work() {
    let project = TestProject::repository();
    symlink("/etc/hostname", project.work.join("old")).expect("it is ours");
    project.commit();
    let base = project.head();
    let mut rooms = CleanRoomProject::new(project);
    let (_, notices) = rooms.prepare_since(&base, &[]).expect("the link is older");
    let notice = "the clean room has links that leave it, as the commit had when the work began: \
                  `old` to `/etc/hostname`";
    assert_eq!(notices, [notice]);
    symlink("../../x", rooms.project.work.join("new")).expect("it is ours");
    rooms.project.commit();
    let error = rooms.prepare_since(&base, &[]).expect_err("the link is new");
    assert!(error.contains("checks must not read through it: `new` to `../../x`;"), "{error}");
    // History is rewritten, so that the first commit is no ancestor any more.
    rooms.project.remove("new").git(&["checkout", "--quiet", "--orphan", "again"]);
    rooms.project.commit();
    rooms.prepare_since(&base, &[]).expect("the link is older");
    let error = rooms.prepare_since(&"0".repeat(40), &[]).expect_err("the commit is unknown");
    assert!(error.contains("`old` to `/etc/hostname`"), "{error}");
    rooms.rooms.clear().expect("it is ours");
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
    let fails = r#"case "$*" in *"read-tree"*) PATH=/usr/local/bin:/usr/bin:/bin; git "$@"; kill -9 $$;; esac"#;
    let script = format!("{fails}; PATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"");
    let mut rooms = CleanRoomProject::new(TestProject::repository().with_git(&script));
    let error = rooms.prepare(&[]).expect_err("it was killed");
    assert!(error.starts_with("a clean room cannot be made: git read-tree failed"), "{error}");
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
    let head = room_project.project.head();
    let (_, notices) = room_project.prepare_since(&head, &[]).expect("there is a commit");
    assert!(notices[0].starts_with("submodules are not checked out"), "{notices:?}");
    room_project.rooms.clear().expect("it is ours");
    assert!(room_project.is_clean());
}
