//! One writer at a time.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{TestDirectory, document};
use crate::database::files::database_lock::lock_alone;
use crate::database::{Database, DatabaseError, DatabaseWriter, TaskScope};

const NOT_LONG: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(60);

#[test]
fn waiting_for_the_lock_ends_with_an_error() {
    let place = TestDirectory::new();
    let held = File::open(place.path()).expect("it can be opened");
    held.lock().expect("it is free");
    let error = DatabaseWriter::wait_for(place.path(), NOT_LONG).expect_err("it is taken");
    assert!(matches!(error, DatabaseError::Locked { .. }));
    let expected = "another process has been writing to HERE for 0 s; see who with `fuser HERE`";
    assert_eq!(place.shortened(&error), expected);
    held.unlock().expect("it is held");
    let writer = DatabaseWriter::wait_for(place.path(), LONG).expect("it is free again");
    assert!(writer.is_some());
}

#[test]
fn a_writer_holds_the_lock_until_it_is_dropped() {
    let place = TestDirectory::new();
    let file = File::open(place.path()).expect("it can be opened");
    let writer = place.writer();
    assert!(file.try_lock().is_err());
    drop(writer);
    assert!(file.try_lock().is_ok());
}

#[test]
fn a_copy_of_the_handle_does_not_keep_the_lock() {
    let place = TestDirectory::new();
    let (folder, lock) = locked(place.path());
    let copy = folder.handle().try_clone().expect("it is open");
    drop((folder, lock));
    let writer = DatabaseWriter::wait_for(place.path(), NOT_LONG);
    assert!(writer.is_ok());
    drop(copy);
}

fn locked(
    path: &Path,
) -> (
    crate::database::files::directory_handle::DirectoryHandle,
    crate::database::files::database_lock::DatabaseLock,
) {
    lock_alone(path, LONG).expect("it can be locked").expect("it is there")
}

#[test]
fn a_writer_waits_for_another() {
    let place = TestDirectory::new();
    let mut first = place.writer();
    let second = || place.writer().database().fronts(TaskScope::All).expect("it can be read");
    let seen = thread::scope(|scope| {
        let second = scope.spawn(second);
        wait_for_another_handle(place.path(), HANDLES_OF_A_WRITER);
        first.add(&document("TASK-001", "First")).expect("it can be written");
        drop(first);
        second.join().expect("it does not panic")
    });
    assert_eq!(super::task_lines(&seen), ["TASK-001 - First.md: First"]);
}

#[test]
fn a_directory_that_is_replaced_meanwhile_is_opened_again() {
    let place = TestDirectory::new();
    let aside = place.path().with_file_name("aside");
    let first = place.writer();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut second = place.writer();
            second.add(&document("TASK-001", "Where")).expect("it can be written");
        });
        wait_for_another_handle(place.path(), HANDLES_OF_A_WRITER);
        fs::rename(place.path(), &aside).expect("it can be renamed");
        fs::create_dir(place.path()).expect("there is none any more");
        drop(first);
    });
    assert_eq!(super::names_in(&aside), Vec::<String>::new());
    assert_eq!(place.names(), ["TASK-001 - Where.md"]);
}

/// One to read from, and one to hold the lock with.
const HANDLES_OF_A_WRITER: usize = 2;

/// Waits until another process has opened a directory too, where the system shows that.
fn wait_for_another_handle(path: &Path, ours: usize) {
    let Ok(path) = path.canonicalize() else { return };
    let leads_here = |entry: &fs::DirEntry| fs::read_link(entry.path()).is_ok_and(|to| to == path);
    while let Ok(handles) = fs::read_dir("/proc/self/fd") {
        if handles.flatten().filter(leads_here).count() > ours {
            return;
        }
        thread::yield_now();
    }
}

#[test]
fn readers_do_not_wait() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let _writer = place.writer();
    assert_eq!(place.database().fronts(TaskScope::All).expect("it can be read").tasks.len(), 1);
}

#[test]
fn reading_creates_nothing_and_writing_what_is_missing() {
    let place = TestDirectory::new();
    let path = place.at("deep/down");
    assert!(Database::open(&path).expect("nothing is wrong").is_none());
    assert!(DatabaseWriter::open_existing(&path).expect("nothing is wrong").is_none());
    assert_eq!(place.names(), Vec::<String>::new());
    DatabaseWriter::open(&path).expect("it can be created");
    assert!(path.is_dir());
    assert_eq!(super::names_in(&path), Vec::<String>::new());
    place.write("file", "");
    let error = Database::open(&place.at("file")).expect_err("it is no directory");
    assert_eq!(place.shortened(&error), "cannot open HERE/file: Not a directory (os error 20)");
    assert!(DatabaseWriter::open(&place.at("file/x")).is_err());
}

#[test]
fn a_dangling_link_is_reported_and_nothing_is_created() {
    let place = TestDirectory::new();
    symlink("nothing", place.at("link")).expect("it can be created");
    for path in [place.at("link"), place.at("link/tasks")] {
        let expected = "HERE/link is a symbolic link that leads nowhere";
        let error = Database::open(&path).expect_err("there may be tasks");
        assert_eq!(place.shortened(&error), expected);
        let error = DatabaseWriter::open(&path).expect_err("there may be tasks");
        assert_eq!(place.shortened(&error), expected);
        let error = DatabaseWriter::open_existing(&path).expect_err("there may be tasks");
        assert_eq!(place.shortened(&error), expected);
    }
    assert_eq!(place.names(), ["link"]);
}
