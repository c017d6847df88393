//! No number is ever given twice.

use std::collections::HashSet;
use std::thread;

use super::{Place, document, id, text};
use crate::TaskId;
use crate::database::{DatabaseError, Scope, Writer};

fn next(place: &Place) -> String {
    place.writer().next_id().expect("there is one").to_string()
}

/// Takes the next id, as whoever creates a task does.
fn take(writer: &mut Writer) -> TaskId {
    let id = writer.next_id().expect("there is one");
    writer.take_id(&id).expect("it can be written");
    id
}

#[test]
fn an_empty_directory_gets_a_config_with_its_first_number() {
    let place = Place::new();
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
fn a_number_is_taken_for_good_even_if_no_task_gets_it() {
    let place = Place::with(&[]);
    assert_eq!(take(&mut place.writer()).as_str(), "TASK-001");
    assert_eq!(place.names(), ["config.json"]);
    assert_eq!(next(&place), "TASK-002");
}

#[test]
fn asking_for_a_number_changes_nothing() {
    let place = Place::new();
    assert_eq!(next(&place), "TASK-001");
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn the_highest_number_counts_wherever_it_is() {
    let place = Place::new();
    place.write("config.json", r#"{"prefix": "BUG", "zeroPadding": 2, "lastIdNumber": 4}"#);
    assert_eq!(next(&place), "BUG-05");
    place.write("bug-7 - x.md", "broken, but who knows what was in it");
    assert_eq!(next(&place), "BUG-08");
    place.write("archive/BUG-0009.md", "");
    assert_eq!(next(&place), "BUG-10");
    place.write("called strangely.md", text("BUG-20", "x"));
    assert_eq!(next(&place), "BUG-21");
    // Numbers are counted across prefixes, but `report-2026.md` is no task for its name alone.
    place.write("TASK-100 - x.md", text("TASK-100", "x"));
    place.write("report-2026.md", "# Numbers\n");
    assert_eq!(next(&place), "BUG-101");
    place.write("config.json", r#"{"prefix": "BUG", "lastIdNumber": 200}"#);
    assert_eq!(next(&place), "BUG-201");
}

#[test]
fn everything_else_in_the_config_stays() {
    let place = Place::new();
    place.write("config.json", "{ // mine\r\n\t\"x\": [1,],\r\n\t\"lastIdNumber\": 4,\r\n}");
    assert_eq!(take(&mut place.writer()).as_str(), "TASK-005");
    let expected = "{ // mine\r\n\t\"x\": [1,],\r\n\t\"lastIdNumber\": 5,\r\n}";
    assert_eq!(place.read("config.json"), expected);
}

#[test]
fn tasks_without_a_config_do_not_start_again_from_their_highest_number() {
    let place = Place::new();
    place.write("archive/TASK-012 - x.md", text("TASK-012", "x"));
    let error = place.writer().next_id().expect_err("nobody knows the number");
    assert!(matches!(error, DatabaseError::NoCounter { .. }));
    let expected = "HERE/config.json is missing, so it is not known which numbers were given; \
        `forge-tasks init` writes one that goes on after TASK-012";
    assert_eq!(place.shortened(&error), expected);
    place.write("config.json", "{\"prefix\": \"TASK\"}");
    let error = place.writer().next_id().expect_err("nobody knows the number");
    let expected = "HERE/config.json has no lastIdNumber, so it is not known which numbers were \
        given; `forge-tasks init --force` writes one that goes on after TASK-012";
    assert_eq!(place.shortened(&error), expected);
}

#[test]
fn a_config_without_a_number_counts_from_one_if_there_are_no_tasks() {
    let place = Place::new();
    place.write("config.json", "{\"prefix\": \"BUG\"}");
    place.write("README.md", "# No task\n");
    assert_eq!(take(&mut place.writer()).as_str(), "BUG-001");
    assert_eq!(place.read("config.json"), "{\"prefix\": \"BUG\", \"lastIdNumber\": 1}");
}

#[test]
fn a_config_that_somebody_edits_meanwhile_is_not_overwritten() {
    let place = Place::with(&[]);
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
    let place = Place::new();
    place.write("config.json", "{\"lastIdNumber\": 7}");
    place.writer().take_id(&id("TASK-003")).expect("it can be written");
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 7}");
}

#[test]
fn numbers_do_not_wrap_around() {
    let place = Place::new();
    place.write("config.json", "{\"lastIdNumber\": 999999999999999}");
    let error = place.writer().next_id().expect_err("there is none left");
    let expected = "HERE has no numbers left: the last one was 999999999999999";
    assert_eq!(place.shortened(&error), expected);
}

#[test]
fn many_writers_get_distinct_numbers() {
    const WRITERS: usize = 8;
    const TASKS: usize = 20;
    let place = Place::new();
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
    let all = place.database().fronts(Scope::All).expect("it can be read");
    let ids: HashSet<u64> = all.tasks.iter().map(|task| task.content.id.number()).collect();
    assert_eq!(ids, (1..=(WRITERS * TASKS) as u64).collect());
    assert_eq!(all.tasks.len(), WRITERS * TASKS);
}
