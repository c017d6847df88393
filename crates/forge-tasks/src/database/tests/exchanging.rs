//! An editor saves a file while it is written.

use std::fs;

use super::{TestDirectory, document, names_in, query, text};
use crate::database::config::ConfigFile;
use crate::database::files::compare_and_swap::{SwapError, SwapTarget, take_away};
use crate::database::files::directory_handle::DirectoryHandle;
use crate::database::files::temporary_file::TemporaryFile;
use crate::database::{DatabaseError, TaskDirectory};

const FILE: &str = "TASK-001 - One.md";

fn folder(place: &TestDirectory) -> DirectoryHandle {
    DirectoryHandle::open(place.path()).expect("it can be opened").expect("it is there")
}

fn target(folder: &DirectoryHandle) -> SwapTarget<'_> {
    SwapTarget { folder, name: FILE }
}

#[test]
fn a_file_that_is_what_was_read_is_replaced_and_nothing_is_left() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let folder = folder(&place);
    let temporary = TemporaryFile::write(&folder, b"ours", None).expect("it can be written");
    let old = text("TASK-001", "One");
    temporary.replace(target(&folder), old.as_bytes()).expect("it has not changed");
    assert_eq!(place.read(FILE), "ours");
    assert_eq!(place.names(), [FILE, "config.json"]);
}

#[test]
fn a_file_that_is_saved_after_it_was_compared_stays() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let folder = folder(&place);
    let temporary = TemporaryFile::write(&folder, b"ours", None).expect("it can be written");
    place.write(FILE, "theirs");
    let error = temporary.replace(target(&folder), b"old").expect_err("it is another");
    assert!(matches!(error, SwapError::Changed));
    assert_eq!(place.read(FILE), "theirs");
    assert_eq!(place.names(), [FILE, "config.json"]);
}

#[test]
fn a_file_that_is_removed_after_it_was_compared_stays_away() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let folder = folder(&place);
    let temporary = TemporaryFile::write(&folder, b"ours", None).expect("it can be written");
    fs::remove_file(place.at(FILE)).expect("it is there");
    let error = temporary.replace(target(&folder), b"old").expect_err("it is gone");
    assert!(matches!(error, SwapError::Changed));
    assert_eq!(place.names(), ["config.json"]);
}

#[test]
fn a_directory_in_place_of_the_file_is_not_replaced() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let folder = folder(&place);
    let temporary = TemporaryFile::write(&folder, b"ours", None).expect("it can be written");
    fs::remove_file(place.at(FILE)).expect("it is there");
    place.write(&format!("{FILE}/inner"), "theirs");
    let error = temporary.replace(target(&folder), b"old").expect_err("it is a directory");
    assert!(matches!(error, SwapError::Changed));
    assert_eq!(place.read(&format!("{FILE}/inner")), "theirs");
    assert_eq!(place.names(), [FILE, "config.json"]);
}

#[test]
fn undoing_a_replacement_keeps_the_latest_content_of_others() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let folder = folder(&place);
    let temporary = TemporaryFile::write(&folder, b"ours", None).expect("it can be written");
    // As it is when they saved before and after the files changed places.
    place.write(".forge-tasks.tmp", "theirs, first");
    place.write(FILE, "theirs, last");
    temporary.put_back(target(&folder)).expect("it can be undone");
    drop(temporary);
    assert_eq!(place.read(FILE), "theirs, last");
    assert_eq!(place.names(), [FILE, "config.json"]);
}

#[test]
fn a_file_that_is_saved_before_it_is_removed_stays() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write(FILE, "theirs");
    let folder = folder(&place);
    let error = take_away(&folder, target(&folder), b"old").expect_err("it is another");
    assert!(matches!(error, SwapError::Changed));
    assert_eq!(place.read(FILE), "theirs");
    assert_eq!(place.names(), [FILE, "config.json"]);
}

#[test]
fn a_changed_task_is_not_removed() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write("archive/TASK-002 - Two.md", text("TASK-002", "Two"));
    let mut writer = place.writer();
    for (id, path) in [("1", FILE), ("2", "archive/TASK-002 - Two.md")] {
        let task = writer.database().find(&query(id)).expect("it is there");
        let edited = format!("{}by an editor\n", task.content.text());
        place.write(path, &edited);
        let error = writer.remove(&task).expect_err("it is another");
        assert!(matches!(error, DatabaseError::Changed { .. }));
        assert_eq!(place.read(path), edited);
    }
    assert_eq!(names_in(&place.at("archive")), ["TASK-002 - Two.md"]);
}

#[test]
fn a_config_that_is_not_what_was_read_stays() {
    let place = TestDirectory::with(&[]);
    let folder = folder(&place);
    let mut config = ConfigFile::read(&folder);
    place.write("config.json", "{\"lastIdNumber\": 70}");
    let error = config.write(&folder, "{\"lastIdNumber\": 1}").expect_err("it is another");
    assert!(matches!(error, DatabaseError::Changed { .. }));
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 70}");
    // Nor is one overwritten that was not there before.
    let mut config = ConfigFile::read(&folder);
    fs::remove_file(place.at("config.json")).expect("it is ours");
    config.write(&folder, "{}").expect_err("it is gone");
    let mut config = ConfigFile::read(&folder);
    place.write("config.json", "{\"lastIdNumber\": 71}");
    config.write(&folder, "{}").expect_err("it is there now");
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 71}");
    assert_eq!(place.names(), ["config.json"]);
}

#[test]
fn an_invalid_config_is_not_written() {
    let place = TestDirectory::with(&[]);
    let folder = folder(&place);
    let mut config = ConfigFile::read(&folder);
    let error =
        config.write(&folder, "{\"lastIdNumber\": 1000000000000000}").expect_err("too high");
    let expected = "HERE/config.json stays as it is, as the new one would be damaged: \
        `lastIdNumber` must be a whole number from 0 to 999999999999999";
    assert_eq!(place.shortened(&error), expected);
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 0}\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_change_that_cannot_be_synced_is_reported_as_done() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let mut writer = place.writer();
    writer.database.folder = DirectoryHandle::open_without_sync(place.path()).expect("it is there");
    let ends = |error: DatabaseError, done: &str| {
        let expected = format!(
            "HERE/{done}, but that may not survive a power failure: Bad file descriptor (os error 9)"
        );
        assert_eq!(place.shortened(&error), expected);
    };
    let error = writer.add(&document("TASK-002", "Two")).expect_err("it is not safe");
    ends(error, "TASK-002 - Two.md is written");
    let old = place.database().find(&query("1")).expect("it is there");
    let error = writer.replace(&old, &document("TASK-001", "New")).expect_err("it is not safe");
    ends(error, "TASK-001 - New.md is written");
    let old = place.database().find(&query("1")).expect("it is there");
    ends(writer.remove(&old).expect_err("it is not safe"), "TASK-001 - New.md is removed");
    let error = writer.write_config("{\"lastIdNumber\": 9}").expect_err("it is not safe");
    ends(error, "config.json is written");
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 9}");
    assert_eq!(place.names(), ["TASK-002 - Two.md", "config.json"]);
}

#[test]
fn a_directory_that_was_moved_away_is_an_error() {
    let place =
        TestDirectory::with(&[("TASK-001", "One"), ("TASK-002", "Two"), ("TASK-003", "Three")]);
    let mut writer = place.writer();
    let find = |id| place.database().find(&query(id)).expect("it is there");
    let (one, two, three) = (find("1"), find("2"), find("3"));
    let elsewhere = place.path().with_file_name("elsewhere");
    fs::rename(place.path(), &elsewhere).expect("it can be renamed");
    let expected = "HERE was moved to another place while it was written to; the change is there";
    let added = writer.add(&document("TASK-004", "Four")).map(drop);
    let replaced = writer.replace(&one, &document("TASK-001", "New")).map(drop);
    for done in
        [added, replaced, writer.remove(&two), writer.relocate(&three, TaskDirectory::Archive)]
    {
        assert_eq!(place.shortened(&done.expect_err("it is elsewhere")), expected);
    }
    let names = ["TASK-001 - New.md", "TASK-004 - Four.md", "archive", "config.json"];
    assert_eq!(names_in(&elsewhere), names);
}
