//! Tests of which files are read, and in which order.

use super::{TestDirectory, broken_lines, task_lines, text};
use crate::database::{ConfigState, Database, DatabaseError, StoredFile, TaskScope};

#[test]
fn tasks_come_in_the_order_of_their_ids_and_then_of_their_files() {
    let place = TestDirectory::with(&[]);
    for (file, id, title) in [
        ("TASK-010 - ten.md", "TASK-010", "ten"),
        ("zzz.md", "TASK-9", "nine, called strangely"),
        ("b.md", "TASK-002", "two, once more"),
        ("a.md", "task-2", "two"),
        ("archive/TASK-003 - three.md", "TASK-003", "three"),
        ("archive/a.md", "TASK-2", "two, archived"),
    ] {
        place.write(file, text(id, title));
    }
    let database = place.database();
    let active = [
        "a.md: two",
        "b.md: two, once more",
        "zzz.md: nine, called strangely",
        "TASK-010 - ten.md: ten",
    ];
    assert_eq!(task_lines(&database.fronts(TaskScope::Active).expect("it can be read")), active);
    let all = database.fronts(TaskScope::All).expect("it can be read");
    let expected = [
        "a.md: two",
        "archive/a.md: two, archived",
        "b.md: two, once more",
        "archive/TASK-003 - three.md: three",
        "zzz.md: nine, called strangely",
        "TASK-010 - ten.md: ten",
    ];
    assert_eq!(task_lines(&all), expected);
    let documents = database.documents(TaskScope::All).expect("it can be read");
    let paths: Vec<String> = documents.tasks.iter().map(StoredFile::path).collect();
    assert_eq!(paths, all.tasks.iter().map(StoredFile::path).collect::<Vec<_>>());
    assert_eq!(documents.tasks[0].content.text(), text("task-2", "two"));
}

#[test]
fn what_does_not_have_the_name_of_a_task_is_left_alone() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    for name in
        [".hidden.md", "notes.txt", "TASK-002 - x.md~", "x.md.orig", ".md", "sub/TASK-003.md"]
    {
        place.write(name, "anything");
    }
    let all = place.database().fronts(TaskScope::All).expect("it can be read");
    assert_eq!(task_lines(&all), ["TASK-001 - One.md: One"]);
    assert_eq!(broken_lines(&all), Vec::<String>::new());
}

#[test]
fn a_broken_file_hides_no_other() {
    let place = TestDirectory::with(&[("TASK-001", "One"), ("TASK-009", "Nine")]);
    place.write("TASK-002 - empty.md", "");
    place.write("README.md", "# Not a task\n");
    place.write("TASK-004 - open.md", "---\nid: TASK-004\ntitle: x\n");
    place.write("TASK-005 - bytes.md", b"---\nid: TASK-005\ntitle: \xff\n---\n");
    place.write("TASK-006 - no id.md", "---\ntitle: x\n---\n");
    place.write("archive/TASK-007 - yaml.md", "---\nid: [\n---\n");
    let database = place.database();
    let fronts = database.fronts(TaskScope::All).expect("it can be read");
    assert_eq!(task_lines(&fronts), ["TASK-001 - One.md: One", "TASK-009 - Nine.md: Nine"]);
    let broken = broken_lines(&fronts);
    assert_eq!(
        broken[..5],
        [
            "README.md is not a task: it does not begin with front matter between two lines `---`",
            "TASK-002 - empty.md is empty",
            "TASK-004 - open.md has front matter without an end: there is no second line `---`",
            "TASK-005 - bytes.md is not UTF-8 text (byte 24)",
            "TASK-006 - no id.md has no id in its front matter",
        ]
    );
    assert!(broken[5].starts_with("archive/TASK-007 - yaml.md cannot be read"));
    let documents = database.documents(TaskScope::All).expect("it can be read");
    assert_eq!(documents.tasks.len(), 2);
    assert_eq!(broken_lines(&documents), broken);
}

#[test]
fn front_matter_of_any_length_is_read() {
    let place = TestDirectory::with(&[]);
    // Around the size of the first read, with characters that it cuts.
    for length in (8100..8200).chain([20_000, 100_000]) {
        let label = "日".repeat(length / 3) + &"x".repeat(length % 3);
        let file = format!("---\nid: TASK-{length}\ntitle: long\nlabels: [{label}]\n---\nbody\n");
        place.write(&format!("TASK-{length}.md"), file);
    }
    let all = place.database().fronts(TaskScope::Active).expect("it can be read");
    assert_eq!(broken_lines(&all), Vec::<String>::new());
    assert_eq!(all.tasks.len(), 102);
    for task in all.tasks {
        assert_eq!(
            task.content.labels[0].len(),
            usize::try_from(task.content.id.number()).expect("it is small")
        );
    }
}

#[test]
fn files_with_carriage_returns_are_read() {
    let place = TestDirectory::with(&[]);
    place.write("TASK-001 - x.md", text("TASK-001", "x").replace('\n', "\r\n"));
    place.write(
        "config.json",
        "{\r\n  \"prefix\": \"X\", // mine\r\n  \"lastIdNumber\": 3,\r\n}\r\n",
    );
    let database = place.database();
    assert_eq!(
        task_lines(&database.fronts(TaskScope::Active).expect("it can be read")),
        ["TASK-001 - x.md: x"]
    );
    assert_eq!(database.config().prefix.as_str(), "X");
    assert_eq!(database.config().last_id_number, 3);
}

#[test]
fn a_missing_config_is_not_needed_to_read() {
    let place = TestDirectory::new();
    place.write("TASK-001 - x.md", text("TASK-001", "x"));
    let database = place.database();
    assert_eq!(*database.config_state(), ConfigState::Missing);
    assert_eq!(database.config().prefix.as_str(), "TASK");
    assert_eq!(database.fronts(TaskScope::All).expect("it can be read").tasks.len(), 1);
    assert_eq!(place.names(), ["TASK-001 - x.md"]);
}

#[test]
fn a_damaged_config_is_an_error_except_when_opened_leniently() {
    let place = TestDirectory::new();
    place.write("TASK-001 - x.md", text("TASK-001", "x"));
    place.write("config.json", "{\n  \"zeroPadding\": \"x\"\n}");
    let error = Database::open(place.path()).expect_err("it is damaged");
    assert!(matches!(error, DatabaseError::Config { .. }));
    let expected = "HERE/config.json:2:3: `zeroPadding` must be a whole number from 0 to 9; \
        correct it, or let `forge-tasks init --force` write a new one";
    assert_eq!(place.shortened(&error), expected);
    assert_eq!(place.shortened(&place.fails_to_write()), expected);
    let database =
        Database::open_leniently(place.path()).expect("it is there").expect("it is there");
    assert!(matches!(database.config_state(), ConfigState::Damaged(_)));
    assert_eq!(database.fronts(TaskScope::All).expect("it can be read").tasks.len(), 1);
}

#[test]
fn a_config_that_is_not_utf8_is_damaged_at_its_first_bad_byte() {
    let place = TestDirectory::new();
    place.write("config.json", b"{\n\"a\xff\": 1}");
    let message = place.shortened(&place.fails_to_write());
    assert!(message.starts_with("HERE/config.json:2:3: it is not UTF-8 text; "), "{message}");
}
