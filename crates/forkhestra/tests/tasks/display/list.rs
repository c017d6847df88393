//! `forge-tasks list`.

use serde_json::Value;

use crate::task_test_project::TaskTestProject;

fn with_some_tasks() -> TaskTestProject {
    let project = TaskTestProject::new();
    project.ok(&["create", "Zero | pipe", "-p", "low", "-l", "ui"]);
    project.ok(&["create", "One", "-p", "high", "-a", "Ada", "-l", "ui", "-l", "io"]);
    project.ok(&["create", "Two", "--depends-on", "2"]);
    project.ok(&["create", "Three", "--depends-on", "1", "--parent", "2"]);
    project.ok(&["create", "Four"]);
    project.ok(&["edit", "1", "-s", "done"]);
    project.ok(&["edit", "5", "-s", "blocked"]);
    project
}

fn ids(printed: &str) -> Vec<&str> {
    printed.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect()
}

#[test]
fn a_missing_database_is_reported_with_the_command_that_creates_one() {
    for verb in ["list", "board", "graph"] {
        let project = TaskTestProject::new();
        let output = project.run(&[verb]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "{verb}: {output}");
        let begins = "note: there are no tasks here: no forge/tasks in ";
        assert!(output.stderr.starts_with(begins), "{verb}: {output}");
        let ends = "; `forge-tasks create` makes the first one\n";
        assert!(output.stderr.ends_with(ends), "{verb}: {output}");
        for format in ["--plain", "--json"] {
            assert_eq!(project.run(&[verb, format]).stderr, "", "{verb} {format}");
        }
        project.ok(&["init"]);
        assert_eq!(project.run(&[verb]).stderr, "", "{verb}");
    }
}

#[test]
fn a_plain_list_has_a_line_for_each_task_in_the_order_of_their_numbers() {
    assert_eq!(
        with_some_tasks().ok(&["--plain", "list"]),
        "TASK-001 | Done | low | Zero \\| pipe\n\
         TASK-002 | To Do | high | One\n\
         TASK-003 | To Do | - | Two\n\
         TASK-004 | To Do | - | Three\n\
         TASK-005 | Blocked | - | Four\n"
    );
}

#[test]
fn options_choose_tasks() {
    let project = with_some_tasks();
    for (options, expected) in [
        (&["-s", "to do"][..], &["TASK-002", "TASK-003", "TASK-004"][..]),
        (&["--status", "BLOCKED"], &["TASK-005"]),
        (&["-p", "HIGH"], &["TASK-002"]),
        (&["-a", "ada"], &["TASK-002"]),
        (&["-l", "UI"], &["TASK-001", "TASK-002"]),
        (&["-l", "ui", "-l", "io"], &["TASK-002"]),
        (&["--ready"], &["TASK-002", "TASK-004"]),
        (&["--blocked"], &["TASK-003", "TASK-005"]),
        (&["--parent", "2"], &["TASK-004"]),
        (&["--ready", "-p", "high"], &["TASK-002"]),
        (&["--ready", "-s", "done"], &[]),
    ] {
        let arguments = [&["ls", "--plain"], options].concat();
        assert_eq!(ids(&project.ok(&arguments)), expected, "{options:?}");
    }
}

#[test]
fn archived_tasks_count_by_status_and_are_listed_only_with_all() {
    let project = with_some_tasks();
    project.ok(&["archive", "1"]);
    assert_eq!(ids(&project.ok(&["list", "--ready", "--plain"])), ["TASK-002", "TASK-004"]);
    assert_eq!(ids(&project.ok(&["list", "--plain"])).len(), 4);
    assert_eq!(ids(&project.ok(&["list", "--all", "--plain"])).len(), 5);
    project.ok(&["archive", "2"]);
    assert_eq!(ids(&project.ok(&["list", "--ready", "--plain"])), ["TASK-004"]);
}

#[test]
fn a_dependency_that_is_not_there_is_not_done() {
    let project = with_some_tasks();
    project.warned(&["create", "Six", "--depends-on", "1,77"]);
    assert!(!project.ok(&["list", "--ready", "--plain"]).contains("TASK-006"));
    assert!(project.ok(&["list", "--blocked", "--plain"]).contains("TASK-006"));
}

#[test]
fn json_has_all_fields_and_overrides_plain() {
    let project = with_some_tasks();
    let printed = project.ok(&["--json", "list", "--plain"]);
    let tasks: Vec<Value> = serde_json::from_str(&printed).expect("it is JSON");
    assert_eq!(tasks.len(), 5);
    let keys: Vec<&String> = tasks[1].as_object().expect("it is an object").keys().collect();
    let mut expected = vec![
        "id",
        "title",
        "status",
        "priority",
        "assignee",
        "labels",
        "dependencies",
        "parent",
        "dueDate",
        "createdAt",
        "updatedAt",
        "description",
        "implementationPlan",
        "implementationNotes",
        "acceptanceCriteria",
        "rawContent",
    ];
    expected.sort_unstable();
    let mut keys: Vec<&str> = keys.into_iter().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(tasks[1]["assignee"], "Ada");
    assert_eq!(tasks[1]["labels"], serde_json::json!(["ui", "io"]));
    assert_eq!(tasks[2]["dependencies"], serde_json::json!(["TASK-002"]));
    assert_eq!(tasks[3]["parent"], "TASK-002");
    assert_eq!(tasks[0]["priority"], "low");
    assert_eq!(tasks[2]["priority"], Value::Null);
    assert!(
        tasks[0]["rawContent"].as_str().expect("it is text").starts_with("---\nid: TASK-001\n")
    );
}

#[test]
fn files_that_are_no_tasks_hide_nothing_and_are_named() {
    let project = with_some_tasks();
    project.write("README.md", "# Not a task\n");
    project.write("TASK-006 - Broken.md", "---\nid: TASK-006\ntitle: [\n---\n");
    project.write("TASK-007 - Unclosed.md", "---\nid: TASK-007\n");
    project.write("TASK-008 - Nameless.md", "---\ntitle: No id\n---\n");
    project.write("empty.md", "");
    project.write("notes.txt", "Not a task, and nobody says it is.");
    std::fs::write(project.place().join("latin.md"), b"---\nid: TASK-9\ntitle: \xe4\n---\n")
        .expect("it is ours");
    std::fs::create_dir(project.place().join("directory.md")).expect("it is ours");
    let (printed, warning) = project.warned(&["list", "--plain"]);
    assert_eq!(printed.lines().count(), 5, "{printed}");
    let named = [
        "README.md",
        "TASK-006 - Broken.md",
        "TASK-007 - Unclosed.md",
        "TASK-008 - Nameless.md",
        "empty.md",
        "latin.md",
        "directory.md",
    ];
    for name in named {
        assert_eq!(
            warning.lines().filter(|line| line.contains(name)).count(),
            1,
            "{name}: {warning}"
        );
    }
    assert_eq!(warning.lines().count(), named.len(), "{warning}");
}
