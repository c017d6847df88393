//! Tests of files that must not be read, followed or waited for.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{TestDirectory, broken_lines, document, id, is_root, query, task_lines, text};
use crate::database::files::directory_handle::{DirectoryHandle, Kind};
use crate::database::{StoredFile, TaskDirectory, TaskScope};

const NOT_FOLLOWED: &str = "is a symbolic link, which is not followed";

#[test]
fn only_regular_files_are_read_and_nothing_is_waited_for() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let fifo = place.at("TASK-002 - pipe.md");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).expect("it can be created");
    let _socket = UnixListener::bind(place.at("TASK-003 - socket.md")).expect("it can be created");
    fs::create_dir(place.at("TASK-004 - directory.md")).expect("it can be created");
    let database = place.database();
    let expected = [
        "TASK-002 - pipe.md is not a regular file",
        "TASK-003 - socket.md is not a regular file",
        "TASK-004 - directory.md is not a regular file",
    ];
    let fronts = database.fronts(TaskScope::All).expect("it can be read");
    assert_eq!(task_lines(&fronts), ["TASK-001 - One.md: One"]);
    assert_eq!(broken_lines(&fronts), expected);
    assert_eq!(
        broken_lines(&database.documents(TaskScope::All).expect("it can be read")),
        expected
    );
    let error = database.find(&query("2")).expect_err("it is no task");
    assert_eq!(place.shortened(&error), "HERE/TASK-002 - pipe.md is not a regular file");
    // A writer meets them too.
    assert_eq!(place.writer().next_id().expect("there is one").as_str(), "TASK-005");
}

#[test]
fn an_unknown_kind_is_determined_without_blocking() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let fifo = place.at("pipe");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).expect("it can be created");
    symlink(place.at("TASK-001 - One.md"), place.at("link")).expect("it can be created");
    let _socket = UnixListener::bind(place.at("socket")).expect("it can be created");
    let folder =
        DirectoryHandle::open(place.path()).expect("it can be opened").expect("it is there");
    let why = |name| folder.file(name, Kind::Unknown).map_err(|why| why.to_string()).err();
    assert_eq!(why("TASK-001 - One.md"), None);
    assert_eq!(why("link").as_deref(), Some(NOT_FOLLOWED));
    assert_eq!(why("nothing").as_deref(), Some("does not exist"));
    for name in ["pipe", "socket", "."] {
        assert_eq!(why(name).as_deref(), Some("is not a regular file"), "{name}");
    }
}

#[test]
fn a_link_is_named_and_not_followed() {
    let outside = TestDirectory::with(&[("TASK-005", "Outside")]);
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    symlink(outside.at("TASK-005 - Outside.md"), place.at("TASK-005 - Outside.md"))
        .expect("it can be created");
    symlink(outside.path(), place.at("archive")).expect("it can be created");
    symlink(place.at("nothing"), place.at("x.md")).expect("it can be created");
    let all = place.database().fronts(TaskScope::All).expect("it can be read");
    assert_eq!(task_lines(&all), ["TASK-001 - One.md: One"]);
    let names = ["TASK-005 - Outside.md", "archive", "x.md"];
    assert_eq!(broken_lines(&all), names.map(|name| format!("{name} {NOT_FOLLOWED}")));
    let error = place.database().find(&query("5")).expect_err("it is not ours");
    assert_eq!(place.shortened(&error), format!("HERE/TASK-005 - Outside.md {NOT_FOLLOWED}"));
}

#[test]
fn nothing_is_written_through_a_link() {
    let outside = TestDirectory::with(&[("TASK-005", "Outside")]);
    let before = outside.read("TASK-005 - Outside.md");
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let link = "TASK-005 - Outside.md";
    symlink(outside.at(link), place.at(link)).expect("it can be created");
    symlink(outside.path(), place.at("archive")).expect("it can be created");
    let mut writer = place.writer();
    let content = document("TASK-005", "Outside");
    let linked = StoredFile { directory: TaskDirectory::Tasks, file: link.to_owned(), content };
    writer.replace(&linked, &document("TASK-005", "Other")).expect_err("it is a link");
    let one = writer.database().find(&query("1")).expect("it is there");
    let error = writer.relocate(&one, TaskDirectory::Archive).expect_err("that would be outside");
    assert_eq!(place.shortened(&error), format!("HERE/archive {NOT_FOLLOWED}"));
    let error = writer.next_id().expect_err("the archive may hold a higher one");
    assert_eq!(place.shortened(&error), format!("HERE/archive {NOT_FOLLOWED}"));
    let archived = StoredFile { directory: TaskDirectory::Archive, ..linked };
    writer.remove(&archived).expect_err("that would be outside");
    assert_eq!(outside.read(link), before);
    assert_eq!(outside.names(), [link, "config.json"]);
    assert_eq!(place.names(), ["TASK-001 - One.md", link, "archive", "config.json"]);
}

#[test]
fn a_config_that_is_a_link_is_refused() {
    let outside = TestDirectory::with(&[]);
    let place = TestDirectory::new();
    symlink(outside.at("config.json"), place.at("config.json")).expect("it can be created");
    let message = place.fails_to_write();
    assert_eq!(place.shortened(&message), format!("HERE/config.json {NOT_FOLLOWED}"));
}

#[test]
fn the_database_itself_may_be_a_link() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let link = place.path().with_file_name("link");
    symlink(place.path(), &link).expect("it can be created");
    let mut writer = super::DatabaseWriter::open(&link).expect("it can be opened");
    writer.add(&document("TASK-002", "Two")).expect("it can be written");
    assert_eq!(place.names(), ["TASK-001 - One.md", "TASK-002 - Two.md", "config.json"]);
}

#[test]
fn a_file_name_that_is_not_utf8_is_broken() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let name = OsStr::from_bytes(b"TASK-002 \xff.md");
    // Some file systems refuse such a name.
    if fs::write(place.path().join(name), text("TASK-002", "Two")).is_ok() {
        let all = place.database().fronts(TaskScope::All).expect("it can be read");
        assert_eq!(task_lines(&all), ["TASK-001 - One.md: One"]);
        assert_eq!(broken_lines(&all), ["TASK-002 \u{fffd}.md has a name that is not UTF-8"]);
    }
}

#[test]
fn a_file_that_may_not_be_read_is_broken() {
    if is_root() {
        return;
    }
    let place = TestDirectory::with(&[("TASK-001", "One"), ("TASK-002", "Two")]);
    let file = place.at("TASK-002 - Two.md");
    fs::set_permissions(file, fs::Permissions::from_mode(0o000)).expect("it is ours");
    let all = place.database().fronts(TaskScope::All).expect("it can be read");
    assert_eq!(task_lines(&all), ["TASK-001 - One.md: One"]);
    let expected = "TASK-002 - Two.md cannot be read: Permission denied (os error 13)";
    assert_eq!(broken_lines(&all), [expected]);
    place.write("archive/x.md", "");
    fs::set_permissions(place.at("archive"), fs::Permissions::from_mode(0o000))
        .expect("it is ours");
    let all = place.database().fronts(TaskScope::All).expect("it can be read");
    let archive = "archive cannot be opened: Permission denied (os error 13)";
    assert_eq!(broken_lines(&all), [expected, archive]);
    fs::set_permissions(place.at("archive"), fs::Permissions::from_mode(0o700))
        .expect("it is ours");
}

#[test]
fn a_directory_that_may_not_be_written_to_stays_as_it_is() {
    if is_root() {
        return;
    }
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let permissions = |mode| fs::set_permissions(place.path(), fs::Permissions::from_mode(mode));
    permissions(0o555).expect("it is ours");
    let mut writer = place.writer();
    let error = writer.take_id(&id("TASK-002")).expect_err("it may not be written");
    let expected = "cannot write HERE/config.json: Permission denied (os error 13)";
    assert_eq!(place.shortened(&error), expected);
    let old = writer.database().find(&query("1")).expect("it is there");
    writer.replace(&old, &document("TASK-001", "Two")).expect_err("it may not be written");
    writer.relocate(&old, TaskDirectory::Archive).expect_err("it may not be written");
    writer.remove(&old).expect_err("it may not be removed");
    permissions(0o755).expect("it is ours");
    assert_eq!(place.names(), ["TASK-001 - One.md", "config.json"]);
}
