//! `forge-tasks edit` and `forge-tasks delete`.

use serde_json::json;

use crate::task_test_project::TaskTestProject;

#[test]
fn every_field_can_be_changed_and_cleared() {
    let project = TaskTestProject::with(&["One", "Two", "Three"]);
    for (options, key, value) in [
        (&["-t", "Uno"][..], "title", json!("Uno")),
        (&["-d", "- a\\n- b"], "description", json!("- a\n- b")),
        (&["-s", "in-progress"], "status", json!("In Progress")),
        (&["-p", "Low"], "priority", json!("low")),
        (&["-a", "ada"], "assignee", json!("ada")),
        (&["--due", "2027-01-31"], "dueDate", json!("2027-01-31")),
        (&["--plan", "First this"], "implementationPlan", json!("First this")),
        (&["--append-plan", "then that"], "implementationPlan", json!("First this\n\nthen that")),
        (&["--notes", "## It went well"], "implementationNotes", json!("## It went well")),
        (
            &["--append-notes", "```\\nopen"],
            "implementationNotes",
            json!("## It went well\n\n```\nopen"),
        ),
        (&["--add-label", "a,b", "--add-label", "c"], "labels", json!(["a", "b", "c"])),
        (&["--remove-label", "B"], "labels", json!(["a", "c"])),
        (
            &["--add-dep", "2", "--add-dep", "TASK-3"],
            "dependencies",
            json!(["TASK-002", "TASK-003"]),
        ),
        (&["--remove-dep", "2"], "dependencies", json!(["TASK-003"])),
        (&["--parent", "3"], "parent", json!("TASK-003")),
        (&["-p", ""], "priority", json!(null)),
        (&["-a", ""], "assignee", json!(null)),
        (&["--due", ""], "dueDate", json!(null)),
        (&["--parent", ""], "parent", json!(null)),
        (&["-d", ""], "description", json!(null)),
        (&["--plan", ""], "implementationPlan", json!(null)),
        (&["--notes", ""], "implementationNotes", json!(null)),
    ] {
        let printed = project.ok(&[&["edit", "1", "--plain"], options].concat());
        let named = match key {
            "implementationPlan" => "plan",
            "implementationNotes" => "notes",
            other => other,
        };
        assert_eq!(printed, format!("updated TASK-001: {named}\n"), "{options:?}");
        assert_eq!(project.field("1", key), value, "{options:?}");
    }
    let again = project.ok(&["update", "1", "--plain", "-t", "Uno", "-s", "in progress"]);
    assert_eq!(again, "unchanged TASK-001\n");
}

#[test]
fn criteria_are_added_checked_and_removed_by_their_numbers() {
    let project = TaskTestProject::new();
    project.ok(&["create", "One", "--ac", "a", "--ac", "b"]);
    let criteria = || {
        let printed = project.ok(&["view", "1", "--plain"]);
        printed.lines().filter(|line| line.starts_with("ac.")).collect::<Vec<_>>().join(" ")
    };
    let printed = project.ok(&["edit", "1", "--check-ac", "2", "--add-ac", "c", "--plain"]);
    assert_eq!(printed, "updated TASK-001: ac.2, ac.3\n");
    assert_eq!(criteria(), "ac.1=[ ] a ac.2=[x] b ac.3=[ ] c");
    project.ok(&["edit", "1", "--remove-ac", "1", "--check-ac", "3", "--uncheck-ac", "2"]);
    assert_eq!(criteria(), "ac.2=[ ] b ac.3=[x] c");
    project.ok(&["edit", "1", "--add-ac", "d", "--check-ac", "2,3"]);
    assert_eq!(criteria(), "ac.2=[x] b ac.3=[x] c ac.4=[ ] d");
}

#[test]
fn a_new_title_gives_the_file_a_new_name_and_nothing_else_does() {
    let project = TaskTestProject::with(&["One"]);
    project.ok(&["edit", "1", "-t", "A/B"]);
    assert_eq!(project.names(), ["TASK-001 - AB.md", "config.json"]);
    // A file with a custom name keeps it.
    let place = project.place();
    std::fs::rename(place.join("TASK-001 - AB.md"), place.join("mine.md")).expect("it is ours");
    project.ok(&["edit", "1", "-s", "done"]);
    assert_eq!(project.names(), ["config.json", "mine.md"]);
    // A name that begins with another id is replaced.
    std::fs::rename(place.join("mine.md"), place.join("TASK-009 - AB.md")).expect("it is ours");
    project.ok(&["edit", "1", "-s", "todo"]);
    assert_eq!(project.names(), ["TASK-001 - AB.md", "config.json"]);
}

#[test]
fn an_edit_is_atomic() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.refused(&["edit", "1", "-t", "New", "--check-ac", "1"]);
    project.refused(&["edit", "1", "-s", "done", "--add-dep", "1"]);
    project.refused(&["edit", "1", "-s", "done", "-p", "urgent"]);
}

#[test]
fn conflicting_options_are_refused() {
    let project = TaskTestProject::new();
    project.ok(&["create", "One", "--ac", "a", "-l", "x"]);
    project.ok(&["create", "Two"]);
    for (options, what) in [
        (["--add-label", "x", "--remove-label", "X"], "the label x"),
        (["--add-dep", "2", "--remove-dep", "TASK-002"], "the dependency 2"),
        (["--check-ac", "1", "--uncheck-ac", "1"], "criterion 1"),
        (["--remove-ac", "1", "--check-ac", "1"], "criterion 1"),
    ] {
        let message = project.refused(&[&["edit", "1"], &options[..]].concat());
        assert!(message.starts_with(what) && message.contains("both"), "{message}");
    }
}

#[test]
fn an_unknown_status_can_be_set_to_its_interpretation() {
    let project = TaskTestProject::new();
    project.write("TASK-001 - A.md", "---\nid: TASK-001\ntitle: A\nstatus: doing\n---\n");
    assert_eq!(project.ok(&["edit", "1", "-s", "todo", "--plain"]), "updated TASK-001: status\n");
    assert!(project.file("TASK-001").contains("\nstatus: To Do\n"));
}

#[test]
fn json_output_of_an_edit_is_the_changed_task() {
    let project = TaskTestProject::with(&["One"]);
    let printed = project.ok(&["edit", "1", "-s", "done", "--json"]);
    let task: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
    assert_eq!((&task["id"], &task["status"]), (&json!("TASK-001"), &json!("Done")));
    assert!(task["updatedAt"].as_str() >= task["createdAt"].as_str());
}

#[test]
fn deleting_needs_a_terminal_or_force_and_names_dependents() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.ok(&["edit", "2", "--add-dep", "1"]);
    let message = project.refused(&["delete", "1"]);
    assert!(message.contains("-f"), "{message}");
    let (printed, message) = project.warned(&["rm", "1", "-f", "--plain"]);
    assert_eq!(printed, "deleted TASK-001\n");
    assert_eq!(message, "warning: TASK-002 still refers to TASK-001\n");
    assert_eq!(project.names(), ["TASK-002 - Two.md", "config.json"]);
}
