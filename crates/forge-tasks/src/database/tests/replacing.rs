//! Changing a task.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::{TestDirectory, document, names_in, query, text};
use crate::database::{DatabaseError, StoredFile, TaskDirectory};
use crate::document::TaskDocument;

#[test]
fn a_new_content_takes_the_place_of_the_old_one() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    let longer = format!("{}more\n", old.content.text());
    let new = TaskDocument::from_bytes(longer.clone().into_bytes()).expect("it is one");
    let stored = writer.replace(&old, &new).expect("it can be written");
    assert_eq!(
        stored,
        StoredFile { directory: TaskDirectory::Tasks, file: old.file.clone(), content: new }
    );
    assert_eq!(place.read(&old.file), longer);
    assert_eq!(place.names(), ["TASK-001 - One.md", "config.json"]);
}

#[test]
fn a_new_title_gives_a_new_name() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    let stored = writer.replace(&old, &document("TASK-001", "Two: x")).expect("it can be written");
    assert_eq!(stored.file, "TASK-001 - Two x.md");
    assert_eq!(place.names(), ["TASK-001 - Two x.md", "config.json"]);
    assert_eq!(place.read(&stored.file), text("TASK-001", "Two: x"));
}

#[test]
fn a_new_id_gives_a_new_name() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    writer.replace(&old, &document("TASK-002", "One")).expect("it can be written");
    assert_eq!(place.names(), ["TASK-002 - One.md", "config.json"]);
}

#[test]
fn a_chosen_name_stays_while_the_title_does() {
    let place = TestDirectory::with(&[]);
    place.write("mine.md", text("TASK-001", "One"));
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    let changed = old.content.text().replace("Some.", "Other.");
    let new = TaskDocument::from_bytes(changed.into_bytes()).expect("it is one");
    assert_eq!(writer.replace(&old, &new).expect("it can be written").file, "mine.md");
}

#[test]
fn a_task_keeps_its_file_name_if_the_new_one_is_taken() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write("TASK-001 - Two.md", "other notes");
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    let stored = writer.replace(&old, &document("TASK-001", "Two")).expect("it can be written");
    assert_eq!(stored.file, "TASK-001 - One.md");
    assert_eq!(place.read("TASK-001 - One.md"), text("TASK-001", "Two"));
    assert_eq!(place.read("TASK-001 - Two.md"), "other notes");
}

#[test]
fn a_title_can_change_in_case_only() {
    let place = TestDirectory::with(&[("TASK-001", "one")]);
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    writer.replace(&old, &document("TASK-001", "ONE")).expect("it can be written");
    assert_eq!(place.names(), ["TASK-001 - ONE.md", "config.json"]);
    // As it is where case makes no difference: both names are the same file.
    fs::hard_link(place.at("TASK-001 - ONE.md"), place.at("TASK-001 - one.md"))
        .expect("it can be linked");
    let folder = writer.folder();
    crate::database::store::rename(folder, "TASK-001 - ONE.md", "TASK-001 - one.md")
        .expect("it is the same file");
    assert_eq!(place.read("TASK-001 - one.md"), text("TASK-001", "ONE"));
}

#[test]
fn a_changed_file_is_not_overwritten() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    let edited = format!("{}by an editor\n", old.content.text());
    place.write(&old.file, &edited);
    let error = writer.replace(&old, &document("TASK-001", "Two")).expect_err("it is another");
    assert!(matches!(error, DatabaseError::Changed { .. }));
    let expected =
        "HERE/TASK-001 - One.md was changed by another process in the meantime; try again";
    assert_eq!(place.shortened(&error), expected);
    assert_eq!(place.read(&old.file), edited);
    fs::remove_file(place.at(&old.file)).expect("it is ours");
    let error = writer.replace(&old, &document("TASK-001", "Two")).expect_err("it is gone");
    assert!(matches!(error, DatabaseError::Changed { .. }));
    assert_eq!(place.names(), ["config.json"]);
}

#[test]
fn an_archived_task_is_changed_where_it_is() {
    let place = TestDirectory::with(&[]);
    place.write("archive/TASK-001 - One.md", text("TASK-001", "One"));
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    let stored = writer.replace(&old, &document("TASK-001", "Two")).expect("it can be written");
    assert_eq!(stored.path(), "archive/TASK-001 - Two.md");
    assert_eq!(names_in(&place.at("archive")), ["TASK-001 - Two.md"]);
    assert_eq!(place.names(), ["archive", "config.json"]);
}

#[test]
fn a_file_is_replaced_and_never_written_into() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    let other = place.at("other name of it");
    fs::hard_link(place.at("TASK-001 - One.md"), &other).expect("it can be linked");
    let mut writer = place.writer();
    let old = writer.database().find(&query("1")).expect("it is there");
    let stored = writer.replace(&old, &document("TASK-001", "Two")).expect("it can be written");
    assert_eq!(fs::read_to_string(&other).expect("it can be read"), text("TASK-001", "One"));
    assert_eq!(fs::metadata(place.at(&stored.file)).expect("it is there").nlink(), 1);
}
