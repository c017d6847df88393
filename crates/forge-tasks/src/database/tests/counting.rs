//! No number is ever given twice.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::{fs, thread};

use super::{TestDirectory, document, id, text};
use crate::database::files::directory_handle::DirectoryHandle;
use crate::database::files::list_files::TaskFileNames;
use crate::database::id_counter::{OpenedFiles, highest as highest_in};
use crate::database::{DatabaseError, DatabaseWriter, TaskScope};
use crate::{IdPrefix, TaskId};

fn next(place: &TestDirectory) -> String {
    place.writer().next_id().expect("there is one").to_string()
}

/// Takes the next id, as `create` does.
fn take(writer: &mut DatabaseWriter) -> TaskId {
    let id = writer.next_id().expect("there is one");
    writer.take_id(&id).expect("it can be written");
    id
}

#[test]
fn an_empty_directory_gets_a_config_with_its_first_number() {
    let place = TestDirectory::new();
    let mut writer = place.writer();
    assert_eq!(place.names(), Vec::<String>::new());
    assert_eq!(take(&mut writer).as_str(), "TASK-001");
    let expected = "{\n  \"prefix\": \"TASK\",\n  \"zeroPadding\": 3,\n  \
        \"projectName\": \"project\",\n  \"defaultPriority\": null,\n  \"defaultLabels\": [],\n  \
        \"lastIdNumber\": 1\n}\n";
    assert_eq!(place.read("config.json"), expected);
    assert_eq!(writer.database().config().last_id_number, 1);
    assert_eq!(take(&mut writer).as_str(), "TASK-002");
}

#[test]
fn a_taken_number_is_never_given_again() {
    let place = TestDirectory::with(&[]);
    assert_eq!(take(&mut place.writer()).as_str(), "TASK-001");
    assert_eq!(place.names(), ["config.json"]);
    assert_eq!(next(&place), "TASK-002");
}

#[test]
fn asking_for_a_number_changes_nothing() {
    let place = TestDirectory::new();
    assert_eq!(next(&place), "TASK-001");
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn the_highest_number_counts_wherever_it_is() {
    let place = TestDirectory::new();
    place.write("config.json", r#"{"prefix": "BUG", "zeroPadding": 2, "lastIdNumber": 4}"#);
    assert_eq!(next(&place), "BUG-05");
    place.write("bug-7 - x.md", "broken, but who knows what was in it");
    assert_eq!(next(&place), "BUG-08");
    place.write("archive/BUG-0009.md", "");
    assert_eq!(next(&place), "BUG-10");
    place.write("called strangely.md", text("BUG-20", "x"));
    assert_eq!(next(&place), "BUG-21");
    // Numbers are counted across prefixes, but `report-2026.md` is not a task because of its name
    // alone.
    place.write("TASK-100 - x.md", text("TASK-100", "x"));
    place.write("report-2026.md", "# Numbers\n");
    assert_eq!(next(&place), "BUG-101");
    place.write("config.json", r#"{"prefix": "BUG", "lastIdNumber": 200}"#);
    assert_eq!(next(&place), "BUG-201");
}

/// The highest id, by names and by reading everything.
fn highest(place: &TestDirectory) -> [Option<String>; 2] {
    let folder =
        DirectoryHandle::open(place.path()).expect("it can be opened").expect("it is there");
    let listing = TaskFileNames::at_all(&folder).expect("it can be read");
    let prefix = IdPrefix::default();
    [OpenedFiles::Unreliable, OpenedFiles::All]
        .map(|opened| highest_in(&listing, &prefix, opened).map(|id| id.to_string()))
}

#[test]
fn ids_inside_copied_files_count() {
    let place = TestDirectory::with(&[("TASK-001", "A")]);
    place.write("TASK-001 - A copy.md", text("TASK-002", "A"));
    assert_eq!(next(&place), "TASK-003");
    assert_eq!(highest(&place), [(); 2].map(|()| Some("TASK-002".to_owned())));
    place.write("TASK-001 copy.md", text("TASK-003", "A"));
    fs::remove_file(place.at("TASK-001 - A.md")).expect("it is there");
    fs::remove_file(place.at("TASK-001 - A copy.md")).expect("it is there");
    assert_eq!(highest(&place), [(); 2].map(|()| Some("TASK-003".to_owned())));
}

#[test]
fn the_id_inside_a_file_counts_if_it_differs_from_the_name() {
    let place = TestDirectory::with(&[("TASK-001", "A")]);
    place.write("TASK-001 - A.md", text("TASK-002", "A"));
    assert_eq!(next(&place), "TASK-003");
}

#[test]
fn a_file_with_a_name_that_is_not_utf8_counts() {
    let place = TestDirectory::with(&[("TASK-001", "A")]);
    place.write("TASK-002 - x.MD", text("TASK-002", "x"));
    assert_eq!(highest(&place), [(); 2].map(|()| Some("TASK-002".to_owned())));
    let write = |name: &[u8], content: &str| {
        // Some file systems refuse such a name.
        fs::write(place.path().join(OsStr::from_bytes(name)), content).is_ok()
    };
    if write(b"TASK-003 - \xff.md", "broken") {
        assert_eq!(highest(&place), [(); 2].map(|()| Some("TASK-003".to_owned())));
        write(b"\xff.md", &text("TASK-004", "x"));
        assert_eq!(highest(&place), [(); 2].map(|()| Some("TASK-004".to_owned())));
        assert_eq!(next(&place), "TASK-005");
    }
}

#[test]
fn taking_a_number_changes_no_other_byte_of_the_config() {
    let place = TestDirectory::new();
    place.write("config.json", "{ // mine\r\n\t\"x\": [1,],\r\n\t\"lastIdNumber\": 4,\r\n}");
    assert_eq!(take(&mut place.writer()).as_str(), "TASK-005");
    let expected = "{ // mine\r\n\t\"x\": [1,],\r\n\t\"lastIdNumber\": 5,\r\n}";
    assert_eq!(place.read("config.json"), expected);
}

#[test]
fn a_new_config_continues_after_existing_tasks() {
    let place = TestDirectory::new();
    place.write("archive/BUG-00012 - x.md", text("BUG-00012", "x"));
    place.write("bug-13 - broken.md", "");
    place.write("mine.md", text("FE-004", "y"));
    let mut writer = place.writer();
    assert_eq!(writer.counter_note(), None);
    assert_eq!(take(&mut writer).as_str(), "bug-014");
    let note = "config.json was missing; the new one continues after bug-13";
    assert_eq!(writer.counter_note().as_deref(), Some(note));
    assert_eq!(writer.database().config().last_id_number, 14);
    assert_eq!(take(&mut writer).as_str(), "bug-015");
    drop(writer);
    assert_eq!(place.writer().counter_note(), None);
}

#[test]
fn a_new_config_takes_the_prefix_of_existing_tasks() {
    let place = TestDirectory::new();
    place.write("BUG-00012 - x.md", text("BUG-00012", "x"));
    assert_eq!(take(&mut place.writer()).as_str(), "BUG-00013");
    assert_eq!(take(&mut place.writer()).as_str(), "BUG-00014");
}

#[test]
fn a_config_without_a_number_is_completed() {
    let place = TestDirectory::new();
    place.write("config.json", "{\"prefix\": \"FE\"}");
    place.write("TASK-011 - x.md", text("TASK-012", "x"));
    let mut writer = place.writer();
    assert_eq!(take(&mut writer).as_str(), "FE-013");
    let note = "config.json had no lastIdNumber; it continues after TASK-012";
    assert_eq!(writer.counter_note().as_deref(), Some(note));
    assert_eq!(place.read("config.json"), "{\"prefix\": \"FE\", \"lastIdNumber\": 13}");
}

#[test]
fn a_config_without_a_number_counts_from_one_if_there_are_no_tasks() {
    let place = TestDirectory::new();
    place.write("config.json", "{\"prefix\": \"BUG\"}");
    place.write("README.md", "# No task\n");
    let mut writer = place.writer();
    assert_eq!(take(&mut writer).as_str(), "BUG-001");
    assert_eq!(writer.counter_note(), None, "there is nothing to go on after");
    assert_eq!(place.read("config.json"), "{\"prefix\": \"BUG\", \"lastIdNumber\": 1}");
}

#[test]
fn a_config_that_changes_meanwhile_is_not_overwritten() {
    let place = TestDirectory::with(&[]);
    let mut writer = place.writer();
    let id = writer.next_id().expect("there is one");
    place.write("config.json", "{\"lastIdNumber\": 0, \"prefix\": \"NEW\"}");
    writer.take_id(&id).expect("the number is still free");
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 1, \"prefix\": \"NEW\"}");
    let id = writer.next_id().expect("there is one");
    place.write("config.json", "{\"lastIdNumber\": 7}");
    let error = writer.take_id(&id).expect_err("the number may have been given");
    assert!(matches!(error, DatabaseError::Changed { .. }));
    place.write("config.json", "{");
    writer.take_id(&id).expect_err("it is damaged");
    assert_eq!(place.read("config.json"), "{");
}

#[test]
fn taking_a_lower_number_does_not_go_back() {
    let place = TestDirectory::new();
    place.write("config.json", "{\"lastIdNumber\": 7}");
    place.writer().take_id(&id("TASK-003")).expect("it can be written");
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 7}");
}

#[test]
fn numbers_do_not_wrap_around() {
    let place = TestDirectory::new();
    place.write("config.json", "{\"lastIdNumber\": 999999999999999}");
    let error = place.writer().next_id().expect_err("there is none left");
    let expected = "HERE has no numbers left: the last one was 999999999999999";
    assert_eq!(place.shortened(&error), expected);
    let beyond = id("TASK-999999999999999").successor();
    let error = place.writer().take_id(&beyond).expect_err("there is none left");
    assert_eq!(place.shortened(&error), expected);
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 999999999999999}");
}

#[test]
fn many_writers_get_distinct_numbers() {
    const WRITERS: usize = 8;
    const TASKS: usize = 20;
    let place = TestDirectory::new();
    thread::scope(|scope| {
        for number in 0..WRITERS {
            let place = &place;
            scope.spawn(move || {
                for _ in 0..TASKS {
                    let mut writer = place.writer();
                    let id = take(&mut writer);
                    let title = format!("of {number}");
                    writer.add(&document(id.as_str(), &title)).expect("it can be written");
                }
            });
        }
    });
    let all = place.database().fronts(TaskScope::All).expect("it can be read");
    let ids: HashSet<u64> = all.tasks.iter().map(|task| task.content.id.number()).collect();
    assert_eq!(ids, (1..=(WRITERS * TASKS) as u64).collect());
    assert_eq!(all.tasks.len(), WRITERS * TASKS);
}
