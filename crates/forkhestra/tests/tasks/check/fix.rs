//! `check --fix` with duplicate ids.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::json;

use crate::check::problems::kinds;
use crate::task_test_project::{TaskTestProject, task_file};

/// A database whose counter is at `numbers`.
fn counted(numbers: u64) -> TaskTestProject {
    let project = TaskTestProject::new();
    project.write("config.json", &format!("{{\"lastIdNumber\": {numbers}}}\n"));
    project
}

/// Writes a task that was created at `hour`.
fn task(project: &TaskTestProject, id: &str, title: &str, hour: &str, more: &str) {
    let more = format!("status: todo\n{more}createdAt: \"2026-11-15T{hour}:00:00.000Z\"\n");
    project.write(&format!("{id} - {title}.md"), &task_file(id, title, &more, ""));
}

#[test]
fn a_duplicate_id_is_reported_and_fixed() {
    let project = TaskTestProject::with(&["One"]);
    let text = |title: &str, more: &str| {
        task_file("TASK-001", title, &format!("status: todo\n{more}"), "")
    };
    project.write(
        "TASK-001 - Younger.md",
        &text("Younger", "createdAt: \"2099-01-01T00:00:00.000Z\"\n"),
    );
    let message = project.refused(&["edit", "1", "-s", "done"]);
    assert!(message.contains("TASK-001 - One.md") && message.contains("check --fix"), "{message}");
    let output = project.run(&["check", "--fix", "--plain"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.names(), ["TASK-001 - One.md", "TASK-002 - Younger.md", "config.json"]);
    assert_eq!(project.field("2", "title"), "Younger");
    assert_eq!(project.ok(&["create", "Next", "--plain"]), "TASK-003\n");
}

/// Fixes everything and returns the report. It fails if references are left.
#[track_caller]
fn fix_report(project: &TaskTestProject) -> String {
    let output = project.run(&["check", "--fix", "--plain"]);
    let code = if output.stdout.contains("mention | ") { 1 } else { 0 };
    assert_eq!(output.code, Some(code), "{output}");
    output.stdout
}

#[test]
fn an_uneditable_group_blocks_no_other_and_takes_no_number() {
    let project = counted(9);
    task(&project, "TASK-001", "Elder", "10", "");
    let braces =
        "---\n{id: TASK-001, title: Braces, status: todo, createdAt: \"2026-12-01\"}\n---\n";
    project.write("TASK-001 - Braces.md", braces);
    task(&project, "TASK-002", "One", "10", "");
    task(&project, "TASK-002", "Two", "11", "");
    task(&project, "TASK-003", "Follows", "12", "dependencies: [TASK-001, TASK-002]\n");
    let output = project.run(&["check", "--fix", "--json"]);
    assert_eq!(output.code, Some(1), "{output}");
    let report: serde_json::Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    let problems = report["problems"].as_array().expect("it is a list");
    let kinds: Vec<_> = problems.iter().map(|problem| problem["kind"].clone()).collect();
    assert_eq!(kinds, ["duplicate-id", "not-renumbered"]);
    assert_eq!(problems[1]["files"], json!(["TASK-001 - Braces.md"]));
    assert_eq!(project.file("TASK-001 - Braces"), braces);
    assert_eq!(project.field("10", "title"), "Two");
    assert_eq!(project.field("3", "dependencies"), json!(["TASK-001", "TASK-002"]));
}

#[test]
fn an_uneditable_referrer_leaves_its_group_unchanged() {
    let project = counted(9);
    task(&project, "TASK-001", "Elder", "10", "");
    task(&project, "TASK-001", "Younger", "11", "");
    task(&project, "TASK-002", "Old", "10", "");
    project.write(
        "TASK-002 - Braces.md",
        "---\n{id: TASK-002, title: B, status: todo, parent: 1, createdAt: \"2026-12-01\"}\n---\n",
    );
    let before = project.files();
    let output = project.run(&["check", "--fix", "--plain"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("not-renumbered | TASK-001 | "), "{output}");
    assert_eq!(project.files(), before);
}

#[test]
fn an_interrupted_renumbering_is_completed() {
    let project = counted(20);
    task(&project, "TASK-001", "Elder", "10", "");
    task(&project, "TASK-001", "Younger", "11", "renumberTo: TASK-015\n");
    task(&project, "TASK-002", "Turned", "12", "dependencies: [TASK-015]\n");
    task(&project, "TASK-003", "Not yet", "12", "dependencies: [TASK-001]\n");
    let mut found = kinds(&project);
    found.sort();
    assert_eq!(found, ["duplicate-id", "missing-dependency", "unfinished-renumbering"]);
    fix_report(&project);
    assert_eq!(project.field("15", "title"), "Younger");
    assert_eq!(project.field("2", "dependencies"), json!(["TASK-015"]));
    assert_eq!(project.field("3", "dependencies"), json!(["TASK-001"]));
    let files = project.files();
    assert!(files.iter().all(|(_, text)| !text.contains("renumberTo")), "{files:?}");
    assert_eq!(project.ok(&["create", "Next", "--plain"]), "TASK-021\n");
}

/// Tasks move after all references were rewritten, so a reference that still has the old id stays.
#[test]
fn after_the_first_moved_task_no_reference_is_rewritten() {
    let project = counted(20);
    task(&project, "TASK-001", "Elder", "10", "");
    task(&project, "TASK-001", "Younger", "11", "renumberTo: TASK-015\n");
    task(&project, "TASK-003", "Follows", "12", "dependencies: [TASK-001]\n");
    task(&project, "TASK-016", "Moved", "12", "renumberTo: TASK-016\n");
    let output = fix_report(&project);
    assert!(
        output.contains("TASK-016 - Moved.md: renumbering to TASK-016 is complete"),
        "{output}"
    );
    assert!(
        output.contains("TASK-001; it may mean TASK-001 - Elder.md or TASK-015 - Younger.md"),
        "{output}"
    );
    assert_eq!(project.field("3", "dependencies"), json!(["TASK-001"]));
    let files = project.files();
    assert!(files.iter().all(|(_, text)| !text.contains("renumberTo")), "{files:?}");
}

#[test]
fn a_started_move_completes_even_if_the_other_task_is_gone() {
    let project = counted(20);
    task(&project, "TASK-001", "Younger", "11", "renumberTo: TASK-015\n");
    task(&project, "TASK-002", "Turned", "12", "dependencies: [TASK-015]\n");
    task(&project, "TASK-003", "Not yet", "12", "parent: TASK-001\n");
    fix_report(&project);
    assert_eq!(project.field("15", "title"), "Younger");
    assert_eq!(project.field("3", "parent"), "TASK-015");
}

#[test]
fn a_pending_id_is_not_given_to_another_task() {
    let project = counted(3);
    task(&project, "TASK-001", "A", "10", "");
    task(&project, "TASK-001", "B", "11", "renumberTo: TASK-007\n");
    task(&project, "TASK-002", "C", "10", "");
    task(&project, "TASK-002", "D", "11", "");
    fix_report(&project);
    assert_eq!(project.field("7", "title"), "B");
    assert_eq!(project.field("8", "title"), "D");
}

#[test]
fn without_a_time_difference_a_reference_keeps_its_number() {
    let project = counted(9);
    let dated = |id: &str, title: &str, date: &str, more: &str| {
        let more = format!("status: todo\n{more}createdAt: {date}\n");
        project.write(&format!("{id} - {title}.md"), &task_file(id, title, &more, ""));
    };
    dated("TASK-001", "a", "2026-11-15", "");
    dated("TASK-001", "b", "2026-11-15", "");
    dated("TASK-002", "same day", "2026-11-15", "dependencies: [TASK-001]\n");
    dated("TASK-003", "next day", "2026-11-16", "dependencies: [TASK-001]\n");
    fix_report(&project);
    assert_eq!(project.field("10", "title"), "b");
    for id in ["2", "3"] {
        assert_eq!(project.field(id, "dependencies"), json!(["TASK-001"]));
    }
}

#[test]
fn without_enough_numbers_nothing_is_renumbered() {
    let project = counted(999_999_999_999_998);
    for (title, hour) in [("a", "10"), ("b", "11"), ("c", "12")] {
        task(&project, "TASK-001", title, hour, "");
    }
    let message = project.refused(&["check", "--fix"]);
    assert!(message.contains("no numbers left"), "{message}");
}

#[test]
fn without_duplicates_no_number_is_taken() {
    let project = counted(999_999_999_999_999);
    task(&project, "TASK-001", "a", "10", "");
    assert_eq!(fix_report(&project), "");
    project.write("config.json", "{}");
    assert_eq!(project.run(&["check", "--fix"]).code, Some(1));
    assert_eq!(kinds(&project), ["config"]);
}

#[test]
fn changes_are_reported_before_the_failure() {
    let project = counted(0);
    project.write(
        "config.json",
        "{\n<<<<<<< HEAD\n\"lastIdNumber\": 7\n=======\n\"lastIdNumber\": 999999999999999\n\
         >>>>>>> theirs\n}\n",
    );
    task(&project, "TASK-001", "a", "10", "");
    task(&project, "TASK-001", "b", "11", "");
    let output = project.run(&["check", "--fix", "--plain"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.starts_with("fixed | - | config.json: settled"), "{output}");
    assert!(output.stdout.contains("duplicate-id | TASK-001"), "{output}");
    assert!(output.stderr.contains("no numbers left"), "{output}");
}

#[test]
fn a_task_keeps_its_prefix_and_gets_a_free_number() {
    let project = counted(0);
    task(&project, "BUG-001", "a", "10", "");
    task(&project, "BUG-001", "b", "11", "");
    task(&project, "TASK-002", "c", "12", "dependencies: [BUG-001]\n");
    fix_report(&project);
    assert_eq!(project.field("BUG-003", "title"), "b");
    assert_eq!(project.field("2", "dependencies"), json!(["BUG-001"]));
    assert_eq!(project.ok(&["create", "Next", "--plain"]), "TASK-004\n");
}

/// Where a file system cannot rename without replacing, a crash leaves two names for one file.
#[test]
fn a_file_with_two_names_loses_the_older_one() {
    let project = counted(9);
    let titled = task_file("TASK-001", "\"New: title\"", "status: todo\n", "");
    project.write("TASK-001 - New title.md", &titled);
    task(&project, "TASK-002", "Archived", "10", "");
    fs::create_dir(project.place().join("archive")).expect("it is ours");
    for (name, other) in [
        ("TASK-001 - New title.md", "TASK-001 - A former title.md"),
        ("TASK-002 - Archived.md", "archive/TASK-002 - Archived.md"),
    ] {
        let place = project.place();
        fs::hard_link(place.join(name), place.join(other)).expect("links are possible");
    }
    fix_report(&project);
    assert_eq!(
        project.names(),
        ["TASK-001 - New title.md", "archive/TASK-002 - Archived.md", "config.json"]
    );
}

#[test]
fn a_copy_is_a_task_of_its_own() {
    let project = counted(9);
    task(&project, "TASK-001", "Once", "10", "");
    task(&project, "TASK-002", "Follows", "12", "dependencies: [TASK-001]\n");
    let (name, copy) = ("TASK-001 - Once.md", "TASK-001 - Twice.md");
    project.write(copy, &project.file(name));
    let inode = |name: &str| fs::metadata(project.place().join(name)).map(|file| file.ino()).ok();
    assert_ne!(inode(name), inode(copy));
    fix_report(&project);
    assert_eq!(project.names().len(), 4);
    assert_eq!(project.field("10", "title"), "Once");
    assert_eq!(project.field("2", "dependencies"), json!(["TASK-001"]));
}

#[test]
fn texts_that_name_a_renumbered_task_are_listed() {
    let project = counted(3);
    task(&project, "TASK-003", "Elder", "10", "");
    task(&project, "TASK-003", "Younger", "11", "");
    project.write(
        "TASK-002 - Base.md",
        &task_file(
            "TASK-002",
            "Base",
            "status: todo\n",
            "## Implementation Notes\n\nSee TASK-003 for the rest, not TASK-0031.\n",
        ),
    );
    let output = fix_report(&project);
    let expected = "mention | - | TASK-002 - Base.md still names TASK-003 in its notes; \
                    TASK-003 - Younger.md is now TASK-004 - Younger.md\n";
    assert!(output.ends_with(expected), "{output}");
    assert!(project.names().contains(&"TASK-004 - Younger.md".to_owned()));
    assert_eq!(fix_report(&project), "", "it is reported once");
}

#[test]
fn references_that_are_left_fail_the_fix() {
    let project = counted(3);
    task(&project, "TASK-001", "Elder", "10", "");
    task(&project, "TASK-001", "Younger", "11", "");
    task(&project, "TASK-002", "Follows", "12", "dependencies: [TASK-001]\n");
    let output = project.run(&["check", "--fix"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.ends_with("Younger.md\n1 reference to look at\n"), "{output}");
}

#[test]
fn texts_of_a_renumbered_task_are_listed_under_its_new_file_name() {
    let project = counted(3);
    task(&project, "TASK-003", "Elder", "10", "");
    let front = "status: todo\ncreatedAt: \"2026-11-15T11:00:00.000Z\"\n";
    let notes = "## Implementation Notes\n\nSee TASK-003.\n";
    project.write("TASK-003 - Younger.md", &task_file("TASK-003", "Younger", front, notes));
    let output = fix_report(&project);
    let expected = "mention | - | TASK-004 - Younger.md still names TASK-003 in its notes; \
                    TASK-003 - Younger.md is now TASK-004 - Younger.md\n";
    assert!(output.ends_with(expected), "{output}");
}

#[test]
fn a_renumbered_task_gets_the_new_id_in_its_title_and_main_heading() {
    let project = counted(3);
    let body = |name: &str| format!("# TASK-003 - {name}\n\n## Description\n\nPart of TASK-001.\n");
    for (name, hour) in [("Elder", 10), ("Younger", 11)] {
        let front = format!("status: todo\ncreatedAt: \"2026-11-15T{hour}:00:00.000Z\"\n");
        let title = format!("\"TASK-003: {name}\"");
        let text = task_file("TASK-003", &title, &front, &body(name));
        project.write(&format!("TASK-003 - {name}.md"), &text);
    }
    let output = fix_report(&project);
    assert!(!output.contains("mention"), "{output}");
    assert_eq!(project.field("4", "title"), "TASK-004: Younger");
    let text = project.file("TASK-004 - TASK-004 Younger");
    assert!(text.ends_with(&body("Younger").replace("TASK-003", "TASK-004")), "{text}");
}

/// An id that is no label may mean the task that keeps it.
#[test]
fn other_texts_that_name_the_old_id_are_kept_and_listed() {
    let project = counted(3);
    task(&project, "TASK-003", "Elder", "10", "");
    let front = "status: todo\ncreatedAt: \"2026-11-15T11:00:00.000Z\"\n";
    let body = "# TASK-003 continued\n\nSee TASK-003.\n\n## Links\n\nTASK-003\n";
    let younger = task_file("TASK-003", "After TASK-003", front, body);
    project.write("TASK-003 - After TASK-003.md", &younger);
    let output = fix_report(&project);
    let expected = "mention | - | TASK-004 - After TASK-003.md still names TASK-003 in its title and \
                    other text; TASK-003 - After TASK-003.md is now TASK-004 - After TASK-003.md\n";
    assert!(output.ends_with(expected), "{output}");
    assert!(project.file("TASK-004 - After TASK-003").ends_with(body));
}
