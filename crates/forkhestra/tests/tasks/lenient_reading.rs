//! Hand-written files are read leniently.

use serde_json::json;

use crate::task_test_project::{TaskTestProject, task_file};

#[test]
fn status_and_priority_are_case_insensitive_and_unknown_values_are_reported() {
    let project = TaskTestProject::new();
    project.write(
        "TASK-001 - A.md",
        &task_file("TASK-001", "A", "status: IN-PROGRESS\npriority: HIGH\n", ""),
    );
    project.write(
        "TASK-002 - B.md",
        &task_file("TASK-002", "B", "status: waiting\npriority: urgent\n", ""),
    );
    let (printed, warning) = project.warned(&["list", "--plain"]);
    assert_eq!(printed, "TASK-001 | In Progress | high | A\nTASK-002 | To Do | - | B\n");
    assert!(
        warning.contains("TASK-002") && warning.contains("waiting") && warning.contains("urgent"),
        "{warning}"
    );
}

#[test]
fn every_yaml_form_of_a_text_is_read() {
    let project = TaskTestProject::new();
    let front = "---\r\nid: 'task-1'\r\ntitle: \"tab\\tquote \\\" \\u263A\"\r\nstatus: todo\r\nlabels: solo\r\n\
                 dependencies:\r\n- 2\r\nassignee: [ada, bob]\r\n---\r\n## Description\r\n\r\nLine\r\nline\r\n";
    project.write("TASK-001 - A.md", front);
    project.write(
        "TASK-002 - B.md",
        "\u{feff}---\nid: TASK-002\ntitle: |\n  Block\n  scalar\nstatus: done\nlabels: 012\n---\n",
    );
    assert_eq!(project.field("1", "title"), "tab\tquote \" ☺");
    assert_eq!(project.field("1", "labels"), json!(["solo"]));
    assert_eq!(project.field("1", "dependencies"), json!(["2"]));
    assert_eq!(project.field("1", "description"), "Line\nline");
    assert_eq!(project.field("2", "labels"), json!(["012"]));
    assert!(project.ok(&["list", "--plain"]).contains("TASK-002 | Done | - | Block\\nscalar"));
    assert_eq!(project.ok(&["list", "--ready", "--plain"]).lines().count(), 1, "2 is done");
}

#[test]
fn criteria_without_markers_count_and_are_numbered_when_one_is_changed() {
    let project = TaskTestProject::new();
    let body = "\n## Acceptance Criteria\n\n- [x] first\n- second\n\n## Other\n";
    project.write(
        "TASK-001 - A.md",
        &task_file("TASK-001", "A", "status: todo\nupdatedAt: x\n", body),
    );
    assert!(project.ok(&["view", "1", "--plain"]).contains("ac.1=[x] first\nac.2=[ ] second\n"));
    project.ok(&["edit", "1", "--check-ac", "2"]);
    let text = project.file("TASK-001");
    assert!(
        text.ends_with("\n## Acceptance Criteria\n\n<!-- AC:BEGIN -->\n- [x] #1 first\n- [x] #2 second\n<!-- AC:END -->\n\n## Other\n"),
        "{text}"
    );
}
