//! Archiving tasks.

use crate::task_test_project::TaskTestProject;

#[test]
fn tasks_are_moved_to_the_archive_unchanged() {
    let project = TaskTestProject::with(&["One", "Two", "Three"]);
    let before = project.file("TASK-001");
    assert_eq!(
        project.ok(&["archive", "1", "task-3", "--plain"]),
        "archived TASK-001\narchived TASK-003\n"
    );
    assert_eq!(
        project.names(),
        [
            "TASK-002 - Two.md",
            "archive/TASK-001 - One.md",
            "archive/TASK-003 - Three.md",
            "config.json"
        ]
    );
    assert_eq!(project.file("archive/TASK-001"), before);
    let message = project.refused(&["archive", "2", "1"]);
    assert_eq!(message, "TASK-001 is archived already");
}

#[test]
fn all_done_tasks_can_be_archived_at_once() {
    let project = TaskTestProject::with(&["One", "Two", "Three"]);
    for task in ["1", "3"] {
        project.ok(&["edit", task, "-s", "done"]);
    }
    assert_eq!(
        project.ok(&["archive", "--done", "--plain"]),
        "archived TASK-001\narchived TASK-003\n"
    );
    assert_eq!(project.ok(&["archive", "--done", "--plain"]), "");
    let message = project.refused(&["archive"]);
    assert!(message.contains("--done"), "{message}");
}

#[test]
fn archived_tasks_are_listed_alone_or_with_the_others() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.ok(&["archive", "1"]);
    let archived = "TASK-001 | To Do | - | One\n";
    let both = "TASK-001 | To Do | - | One\nTASK-002 | To Do | - | Two\n";
    for (option, expected) in [("--archived", archived), ("--all", both)] {
        assert_eq!(project.ok(&["list", option, "--plain"]), expected);
        assert_eq!(project.ok(&["search", "o", option, "--plain"]), expected);
    }
    assert!(project.ok(&["list", "--archived"]).ends_with("1 task: 1 to do\n"));
}

#[test]
fn an_archived_task_can_be_unarchived() {
    let project = TaskTestProject::with(&["One", "Two"]);
    let before = project.file("TASK-001");
    project.ok(&["archive", "1", "2"]);
    let output = project.ok(&["unarchive", "1", "task-2", "--plain"]);
    assert_eq!(output, "unarchived TASK-001\nunarchived TASK-002\n");
    assert_eq!(project.file("TASK-001"), before);
    assert_eq!(project.refused(&["unarchive", "2"]), "TASK-002 is not archived");
    project.ok(&["archive", "2"]);
    assert_eq!(project.ok(&["unarchive", "2"]), "Unarchived TASK-002: Two\n");
    project.ok(&["archive", "2"]);
    let json = project.ok(&["unarchive", "2", "--json"]);
    assert!(json.contains("\"unarchived\"") && json.contains("TASK-002"), "{json}");
}

#[test]
fn unarchive_is_all_or_nothing() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.ok(&["archive", "1"]);
    project.refused(&["unarchive", "1", "2"]);
    assert!(project.names().contains(&"archive/TASK-001 - One.md".to_owned()));
}

#[test]
fn an_archived_task_cannot_be_reopened() {
    let project = TaskTestProject::with(&["One"]);
    project.ok(&["create", "Two", "--depends-on", "1"]);
    project.ok(&["edit", "1", "-s", "done"]);
    project.ok(&["archive", "--done"]);
    let refusal = "TASK-001 is archived; bring it back first: forge-tasks unarchive TASK-001";
    for status in ["todo", "in-progress", "blocked"] {
        assert_eq!(project.refused(&["edit", "1", "-s", status]), refusal, "{status}");
    }
    project.ok(&["edit", "1", "--append-notes", "It is done all the same", "-s", "done"]);
    project.ok(&["unarchive", "1"]);
    project.ok(&["edit", "1", "-s", "todo"]);
    let list = project.ok(&["list", "--ready", "--plain"]);
    assert!(list.contains("TASK-001"), "{list}");
}

#[test]
fn an_open_archived_dependency_is_named() {
    let project = TaskTestProject::with(&["One"]);
    project.ok(&["create", "Two", "--depends-on", "1"]);
    project.ok(&["archive", "1"]);
    let claim = project.run(&["claim"]);
    assert_eq!(claim.code, Some(3), "{claim}");
    let why = "TASK-002 waits for TASK-001 (which is archived, but not done)";
    assert!(claim.to_string().contains(why), "{claim}");
    let claim = project.run(&["claim", "1"]);
    assert_eq!(claim.code, Some(3), "{claim}");
    let hint = "TASK-001 is archived; `forge-tasks unarchive TASK-001` brings it back";
    assert!(claim.to_string().contains(hint), "{claim}");
    let check = project.run(&["check"]);
    assert_eq!(check.code, Some(1), "{check}");
    assert!(
        check.stdout.contains(
            "TASK-002 waits for TASK-001, which is archived but not Done; `forge-tasks unarchive \
             TASK-001` brings it back (archived-dependency)"
        ),
        "{check}"
    );
    project.ok(&["unarchive", "1"]);
    assert_eq!(project.ok(&["check"]), "No problems\n");
}
