//! Adding, removing and archiving tasks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{TestDirectory, document, names_in, query, text};
use crate::database::{DatabaseError, TaskDirectory, TaskScope};

#[test]
fn a_new_task_gets_a_file() {
    let place = TestDirectory::with(&[]);
    let mut writer = place.writer();
    let stored = writer.add(&document("TASK-001", "a/b: c?")).expect("it can be written");
    assert_eq!(
        (stored.directory, stored.file.as_str()),
        (TaskDirectory::Tasks, "TASK-001 - ab c.md")
    );
    assert_eq!(place.read(&stored.file), text("TASK-001", "a/b: c?"));
    assert_eq!(place.names(), ["TASK-001 - ab c.md", "config.json"]);
    assert_eq!(writer.database().path_of(&stored), place.at(&stored.file));
}

#[test]
fn a_new_task_never_overwrites_a_file() {
    let place = TestDirectory::with(&[]);
    place.write("TASK-001 - x.md", "mine");
    let error = place.writer().add(&document("TASK-001", "x")).expect_err("it is taken");
    assert!(matches!(error, DatabaseError::Taken { .. }));
    assert_eq!(place.shortened(&error), "HERE/TASK-001 - x.md already exists");
    assert_eq!(place.read("TASK-001 - x.md"), "mine");
    assert_eq!(place.names(), ["TASK-001 - x.md", "config.json"]);
}

#[test]
fn what_is_not_a_task_is_not_written() {
    let place = TestDirectory::with(&[]);
    let document = crate::document::TaskDocument::from_bytes(b"---\ntitle: x\n---\n".to_vec());
    let error = place.writer().add(&document.expect("it has parts")).expect_err("it has no id");
    assert_eq!(place.shortened(&error), "the task for HERE: has no id in its front matter");
    assert_eq!(place.names(), ["config.json"]);
}

#[test]
fn a_removed_task_is_gone() {
    let place = TestDirectory::with(&[("TASK-001", "One"), ("TASK-002", "Two")]);
    place.write("archive/TASK-003 - Three.md", text("TASK-003", "Three"));
    let mut writer = place.writer();
    for id in ["1", "3"] {
        let task = writer.database().find(&query(id)).expect("it is there");
        writer.remove(&task).expect("it can be removed");
        let error = writer.remove(&task).expect_err("it is gone");
        assert!(matches!(error, DatabaseError::Changed { .. }));
    }
    assert_eq!(place.names(), ["TASK-002 - Two.md", "archive", "config.json"]);
    assert_eq!(names_in(&place.at("archive")), Vec::<String>::new());
}

#[test]
fn an_archived_task_moves_as_it_is() {
    let place = TestDirectory::with(&[("TASK-001", "One"), ("TASK-002", "Two")]);
    let mut writer = place.writer();
    let one = writer.database().find(&query("1")).expect("it is there");
    writer.relocate(&one, TaskDirectory::Archive).expect("it can be moved");
    assert_eq!(place.names(), ["TASK-002 - Two.md", "archive", "config.json"]);
    assert_eq!(place.read("archive/TASK-001 - One.md"), text("TASK-001", "One"));
    let error = writer.relocate(&one, TaskDirectory::Archive).expect_err("it is gone");
    assert!(matches!(error, DatabaseError::Changed { .. }));
    let archived = writer.database().find(&query("1")).expect("it is there");
    writer.relocate(&archived, TaskDirectory::Archive).expect("there is nothing to do");
    assert_eq!(names_in(&place.at("archive")), ["TASK-001 - One.md"]);
}

#[test]
fn a_name_that_is_taken_in_the_archive_gets_a_number() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write("archive/TASK-001 - One.md", "first");
    place.write("archive/TASK-001 - One (2).md", "second");
    let mut writer = place.writer();
    let one = writer.database().find(&query("1")).expect("it is there");
    writer.relocate(&one, TaskDirectory::Archive).expect("it can be moved");
    let expected = ["TASK-001 - One (2).md", "TASK-001 - One (3).md", "TASK-001 - One.md"];
    assert_eq!(names_in(&place.at("archive")), expected);
    assert_eq!(place.read("archive/TASK-001 - One (3).md"), text("TASK-001", "One"));
}

#[test]
fn what_is_called_archive_but_is_no_directory_is_refused() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write("archive", "a file");
    let mut writer = place.writer();
    let one = writer.database().fronts(TaskScope::Active).expect("it can be read").tasks;
    let error = writer.relocate(&one[0], TaskDirectory::Archive).expect_err("it is a file");
    assert_eq!(place.shortened(&error), "HERE/archive is not a directory");
    assert_eq!(place.names(), ["TASK-001 - One.md", "archive", "config.json"]);
}

#[test]
fn a_writer_removes_only_the_temporary_file_of_a_killed_writer() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let theirs = [".forge-tasks.tmp.swp", ".forge-tasks.tmp~", ".theirs.tmp", "forge-tasks.tmp"];
    for name in theirs.iter().chain(&[".forge-tasks.tmp", "archive/.forge-tasks.tmp"]) {
        place.write(name, "half");
    }
    place.database().fronts(TaskScope::All).expect("it can be read");
    assert!(place.at(".forge-tasks.tmp").exists(), "readers change nothing");
    drop(place.writer());
    let stay = [&theirs[..3], &["TASK-001 - One.md", "archive", "config.json"], &theirs[3..]];
    assert_eq!(place.names(), stay.concat());
    assert_eq!(names_in(&place.at("archive")), [".forge-tasks.tmp"]);
}

#[test]
fn a_write_that_fails_leaves_nothing_behind() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    // A directory in the way cannot be replaced by a file.
    let temporary = ".forge-tasks.tmp";
    let mut writer = place.writer();
    fs::create_dir(place.at(temporary)).expect("it can be created");
    let id = writer.next_id().expect("there is one");
    let error = writer.take_id(&id).expect_err("its temporary file is a directory");
    assert_eq!(place.shortened(&error), "cannot write HERE/config.json: File exists (os error 17)");
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 1}\n");
    fs::remove_dir(place.at(temporary)).expect("it is empty");
    fs::remove_file(place.at("config.json")).expect("it is ours");
    fs::create_dir(place.at("config.json")).expect("it can be created");
    let mut writer_without_config = || writer.take_id(&id).map_err(|error| place.shortened(&error));
    let expected = "HERE/config.json is not a regular file";
    assert_eq!(writer_without_config(), Err(expected.to_owned()));
    assert_eq!(place.names(), ["TASK-001 - One.md", "config.json"]);
}

#[test]
fn permissions_stay() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let mode = |name: &str| {
        fs::metadata(place.at(name)).expect("it is there").permissions().mode() & 0o7777
    };
    for name in ["TASK-001 - One.md", "config.json"] {
        let permissions = fs::Permissions::from_mode(0o606);
        fs::set_permissions(place.at(name), permissions).expect("it is ours");
    }
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    writer.replace(&old, &document("TASK-001", "New")).expect("it can be written");
    let id = writer.next_id().expect("there is one");
    writer.take_id(&id).expect("it can be written");
    assert_eq!(mode("TASK-001 - New.md"), 0o606);
    assert_eq!(mode("config.json"), 0o606);
    place.write("any", "");
    let stored = writer.add(&document("TASK-002", "x")).expect("it can be written");
    assert_eq!(mode(&stored.file), mode("any"), "as any new file");
}
