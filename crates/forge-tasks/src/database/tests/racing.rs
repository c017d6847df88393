//! Reading while others write.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use std::{fs, thread};

use super::{TestDirectory, document, query, text};
use crate::database::files::directory_handle::DirectoryHandle;
use crate::database::read::{ConcurrentWriters, FrontReader, ROUNDS, TaskReadError, read_all};
use crate::database::{DatabaseWriter, TaskDirectory, TaskScope};

const TASKS: u64 = 40;

fn place_with_many() -> TestDirectory {
    let place = TestDirectory::with(&[]);
    for number in 1..=TASKS {
        let id = format!("TASK-{number:03}");
        place.write(&format!("{id} - title.md"), text(&id, "title"));
    }
    place.write("config.json", format!("{{\"lastIdNumber\": {TASKS}}}"));
    place
}

/// Retitles every task, and takes some of them to the archive and back.
fn write_about(writer: &mut DatabaseWriter, place: &TestDirectory, round: usize) {
    for number in 1..=TASKS {
        let task = writer.database().find(&query(&number.to_string())).expect("it is there");
        let id = task.content.front().expect("it is a task").id;
        let title = format!("{} {round}", "x".repeat(round % 7 + 1));
        let task =
            writer.replace(&task, &document(id.as_str(), &title)).expect("it can be written");
        if number % 4 == 0 && task.directory == TaskDirectory::Tasks {
            writer.relocate(&task, TaskDirectory::Archive).expect("it can be moved");
        } else if task.directory == TaskDirectory::Archive {
            let back = place.at(&task.file);
            fs::rename(writer.database().path_of(&task), back).expect("it can be moved back");
        }
    }
}

#[test]
fn a_reader_sees_every_task_exactly_once_while_others_rename_them() {
    let place = place_with_many();
    let is_done = AtomicBool::new(false);
    let all: Vec<u64> = (1..=TASKS).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..4 {
                write_about(&mut place.writer(), &place, round);
            }
            is_done.store(true, Ordering::Release);
        });
        let database = place.database();
        while !is_done.load(Ordering::Acquire) {
            let fronts = database.fronts(TaskScope::All).expect("it can be read");
            let seen: Vec<u64> = fronts.tasks.iter().map(|task| task.content.id.number()).collect();
            assert_eq!(seen, all);
            assert!(fronts.broken.is_empty());
            database.find(&query("4")).expect("it is somewhere");
            database.find(&query("1")).expect("it is there");
        }
    });
}

/// Reads all titles of a directory without recent changes, and runs a function before each file
/// is opened.
fn titles(place: &TestDirectory, before: impl FnMut(&str)) -> Vec<String> {
    let directory = fs::File::open(place.path()).expect("it can be opened");
    directory.set_modified(SystemTime::UNIX_EPOCH).expect("it is ours");
    titles_in_passing(place, before)
}

fn titles_in_passing(place: &TestDirectory, mut before: impl FnMut(&str)) -> Vec<String> {
    let folder =
        DirectoryHandle::open(place.path()).expect("it can be opened").expect("it is there");
    let mut reader = FrontReader::new();
    let read = |folder: &DirectoryHandle, name: &_| {
        let name: &crate::database::files::list_files::TaskFileName = name;
        before(&name.file);
        reader.read(folder, name)
    };
    let listing = read_all(&folder, TaskScope::All, ConcurrentWriters::MayWrite, read)
        .expect("it can be read");
    let mut titles: Vec<String> =
        listing.tasks.into_iter().map(|task| task.content.title).collect();
    titles.sort();
    titles
}

#[test]
fn a_file_that_is_renamed_before_it_is_opened_is_found_under_its_new_name() {
    let place = TestDirectory::with(&[("TASK-001", "One"), ("TASK-002", "Two")]);
    let (old, new) = (place.at("TASK-001 - One.md"), place.at("zzz.md"));
    let rename = |file: &str| {
        if file == "TASK-001 - One.md" {
            fs::rename(&old, &new).expect("it can be renamed");
        }
    };
    assert_eq!(titles(&place, rename), ["One", "Two"]);
}

#[test]
fn a_task_that_is_archived_before_it_is_opened_is_found_there() {
    let place = TestDirectory::with(&[("TASK-001", "One"), ("TASK-002", "Two")]);
    let old = place.at("TASK-001 - One.md");
    let rename = |file: &str| {
        if file == "TASK-001 - One.md" && old.exists() {
            fs::create_dir(place.at("archive")).expect("it is new");
            fs::rename(&old, place.at("archive/TASK-001 - One.md")).expect("it can be renamed");
        }
    };
    assert_eq!(titles(&place, rename), ["One", "Two"]);
}

#[test]
fn a_file_that_is_removed_is_gone_and_not_broken() {
    let place = TestDirectory::with(&[("TASK-001", "One"), ("TASK-002", "Two")]);
    let remove = |file: &str| {
        if file == "TASK-001 - One.md" {
            fs::remove_file(place.at(file)).expect("it is there");
        }
    };
    assert_eq!(titles(&place, remove), ["Two"]);
}

#[test]
fn a_file_that_was_read_is_not_opened_again() {
    let place =
        TestDirectory::with(&[("TASK-001", "One"), ("TASK-002", "Two"), ("TASK-003", "Three")]);
    let opened = Cell::new(0);
    // The directory has just been written to, so it is looked at twice.
    let seen = titles_in_passing(&place, |_| opened.set(opened.get() + 1));
    assert_eq!((seen.len(), opened.get()), (3, 3));
}

#[test]
fn after_some_rounds_the_reader_takes_the_lock() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let folder =
        DirectoryHandle::open(place.path()).expect("it can be opened").expect("it is there");
    let looks = Cell::new(0);
    let is_locked = Cell::new(false);
    let other = fs::File::open(place.path()).expect("it can be opened");
    let read = |_: &DirectoryHandle, _: &_| -> Result<(), TaskReadError> {
        looks.set(looks.get() + 1);
        is_locked.set(other.try_lock().is_err());
        let _ = other.unlock();
        Err(TaskReadError::Gone)
    };
    let listing = read_all(&folder, TaskScope::All, ConcurrentWriters::MayWrite, read)
        .expect("it can be read");
    assert_eq!((listing.tasks.len(), looks.get()), (0, ROUNDS + 1));
    assert!(is_locked.get(), "the last look is undisturbed");
    assert!(other.try_lock().is_ok(), "and then the lock is free again");
}
