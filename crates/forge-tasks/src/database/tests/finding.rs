//! Finding a task by its id.

use super::{TestDirectory, query, text};
use crate::database::{FindTaskError, TaskDirectory};

fn found(place: &TestDirectory, text: &str) -> String {
    place.database().find(&query(text)).expect("it is there").path()
}

fn error(place: &TestDirectory, text: &str) -> String {
    place.shortened(&place.database().find(&query(text)).expect_err("it is not there"))
}

#[test]
fn a_task_is_found_by_every_spelling_of_its_id() {
    let place = TestDirectory::with(&[("TASK-001", "One"), ("TASK-011", "Eleven")]);
    for text in ["1", "001", "task-1", "TASK-001"] {
        assert_eq!(found(&place, text), "TASK-001 - One.md");
    }
    let task = place.database().find(&query("11")).expect("it is there");
    assert_eq!(
        (task.directory, task.content.text()),
        (TaskDirectory::Tasks, &*text("TASK-011", "Eleven"))
    );
}

#[test]
fn a_task_is_found_whatever_its_file_is_called() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write("notes.md", text("TASK-002", "Two"));
    place.write("TASK-003 - lies.md", text("TASK-004", "Four"));
    place.write("archive/x.md", text("TASK-005", "Five"));
    assert_eq!(found(&place, "2"), "notes.md");
    assert_eq!(found(&place, "4"), "TASK-003 - lies.md");
    assert_eq!(found(&place, "5"), "archive/x.md");
    assert!(error(&place, "3").starts_with("there is no task 3; "));
}

#[test]
fn an_archived_task_is_found_if_no_other_is() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write("archive/TASK-001 - Old.md", text("TASK-001", "Old"));
    place.write("archive/TASK-002 - Two.md", text("TASK-002", "Two"));
    assert_eq!(found(&place, "1"), "TASK-001 - One.md");
    assert_eq!(found(&place, "2"), "archive/TASK-002 - Two.md");
}

#[test]
fn an_id_in_several_files_is_named_with_them() {
    let place = TestDirectory::with(&[("TASK-005", "A"), ("TASK-005", "B")]);
    let two = "TASK-005 is in two files: TASK-005 - A.md and TASK-005 - B.md; \
        `forge-tasks check --fix` gives one another number";
    assert_eq!(error(&place, "TASK-005"), two);
    place.write("c.md", text("TASK-5", "C"));
    assert!(
        error(&place, "5")
            .starts_with("5 is in 3 files: TASK-005 - A.md, TASK-005 - B.md and c.md")
    );
}

#[test]
fn a_number_that_two_prefixes_have_is_not_guessed() {
    let place = TestDirectory::with(&[("TASK-005", "A"), ("BUG-005", "B")]);
    assert_eq!(error(&place, "5"), "5 can be BUG-005 or TASK-005; give the whole id");
    assert_eq!(found(&place, "bug-5"), "BUG-005 - B.md");
}

#[test]
fn an_unknown_id_is_reported_with_the_known_ones() {
    let place = TestDirectory::new();
    assert_eq!(error(&place, "TASK-012"), "there is no task TASK-012; there are no tasks");
    place.write("TASK-001 - x.md", text("TASK-001", "x"));
    assert_eq!(error(&place, "99"), "there is no task 99; the only task is TASK-001");
    place.write("archive/TASK-003 - x.md", text("TASK-003", "x"));
    let hint = "the ids go from TASK-001 to TASK-003";
    for query in ["999", "TASK-999", "TASK-002", "BUG-009"] {
        assert_eq!(error(&place, query), format!("there is no task {query}; {hint}"));
    }
    let nowhere = FindTaskError::without_tasks(&query("1")).to_string();
    assert_eq!(nowhere, "there is no task 1; there are no tasks");
}

#[test]
fn an_id_is_suggested_only_if_one_task_is_similar() {
    let place = TestDirectory::with(&[("TASK-001", "a"), ("TASK-012", "b"), ("TASK-345", "c")]);
    for (typed, meant) in [
        ("TASK-0011", None),
        ("12345", None),
        ("21", None),
        ("2", Some("TASK-012")),
        ("task-112", Some("TASK-012")),
        ("354", Some("TASK-345")),
        ("TASK-0034", Some("TASK-345")),
        ("BUG-345", Some("TASK-345")),
    ] {
        let expected = meant.map_or_else(
            || "the ids go from TASK-001 to TASK-345".to_owned(),
            |meant| format!("did you mean {meant}?"),
        );
        assert_eq!(error(&place, typed), format!("there is no task {typed}; {expected}"));
    }
    place.write("FE-345 - x.md", text("FE-345", "x"));
    assert!(error(&place, "BUG-345").ends_with("did you mean FE-345 or TASK-345?"));
}

#[test]
fn a_broken_file_is_named_if_it_is_meant() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write("TASK-002 - x.md", "---\nid: TASK-002\n");
    let expected =
        "HERE/TASK-002 - x.md has front matter without an end: there is no second line `---`";
    assert_eq!(error(&place, "2"), expected);
    // Its front matter can be read, but not the rest.
    place.write("TASK-003 - x.md", [text("TASK-003", "x").as_bytes(), b"\xff"].concat());
    let message = error(&place, "3");
    assert!(message.starts_with("HERE/TASK-003 - x.md is not UTF-8 text"), "{message}");
    // Of two candidates the one that can be read is meant.
    place.write("TASK-002 - y.md", text("TASK-002", "y"));
    assert_eq!(found(&place, "2"), "TASK-002 - y.md");
}

#[test]
fn an_archive_that_cannot_be_opened_is_an_error() {
    let place = TestDirectory::with(&[("TASK-001", "One")]);
    place.write("archive", "no directory");
    assert_eq!(found(&place, "1"), "TASK-001 - One.md");
    assert_eq!(error(&place, "2"), "HERE/archive is not a directory");
}
