//! Problems that `check` finds, and their fixes.

use crate::task_test_project::{TaskTestProject, task_file};

pub(crate) fn kinds(project: &TaskTestProject) -> Vec<String> {
    let output = project.run(&["check", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    let problems = report["problems"].as_array().expect("it is a list");
    assert_eq!(output.code, Some(i32::from(!problems.is_empty())), "{output}");
    problems
        .iter()
        .map(|problem| problem["kind"].as_str().expect("it is text").to_owned())
        .collect()
}

#[test]
fn a_sound_database_has_no_problems() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.ok(&["edit", "2", "--add-dep", "1"]);
    assert_eq!(kinds(&project), [""; 0]);
    assert_eq!(project.run(&["check"]).code, Some(0));
}

#[test]
fn every_kind_of_problem_is_found() {
    let project = TaskTestProject::new();
    project.write("config.json", "{\"lastIdNumber\": 9}");
    project.write(
        "TASK-001 - A.md",
        &task_file("TASK-001", "A", "status: todo\ndependencies: [TASK-002]\n", ""),
    );
    project.write(
        "TASK-002 - B.md",
        &task_file("TASK-002", "B", "status: todo\ndependencies: [TASK-001, TASK-099]\n", ""),
    );
    project.write(
        "TASK-003 - C.md",
        &task_file("TASK-003", "C", "status: done\n", "## Acceptance Criteria\n- [ ] open\n"),
    );
    project.write(
        "TASK-004 - D.md",
        &task_file("TASK-004", "D", "status: odd\nparent: TASK-098\n", ""),
    );
    project.write("TASK-004 - E.md", &task_file("task-4", "E", "status: todo\n", ""));
    project.write("TASK-009 - F.md", &task_file("TASK-005", "F", "status: todo\n", ""));
    project.write("broken.md", "");
    let mut found = kinds(&project);
    found.sort();
    assert_eq!(
        found,
        [
            "broken-file",
            "cycle",
            "duplicate-id",
            "invalid-value",
            "misnamed-file",
            "missing-dependency",
            "missing-parent",
            "open-criteria"
        ]
    );
    let output = project.run(&["check", "--plain"]);
    assert_eq!((output.code, output.stdout.lines().count()), (Some(1), 8), "{output}");
}

#[test]
fn the_count_of_open_criteria_is_grammatical() {
    let printed = |open: usize| {
        let project = TaskTestProject::new();
        let list = "- [ ] open\n".repeat(open);
        let body = format!("## Acceptance Criteria\n- [x] done\n{list}");
        project.write("config.json", "{\"lastIdNumber\": 9}");
        project.write("TASK-001 - A.md", &task_file("TASK-001", "A", "status: done\n", &body));
        let output = project.run(&["check", "--plain"]);
        output.stdout.trim_end().rsplit(" | ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(printed(1), "TASK-001 is Done, but #2 is open");
    assert_eq!(printed(2), "TASK-001 is Done, but #2 and #3 are open");
    assert_eq!(printed(6), "TASK-001 is Done with 6 open criteria");
}

#[test]
fn a_merge_conflict_in_the_counter_can_be_resolved() {
    let project = TaskTestProject::with(&["One"]);
    let config = project.file("config.json");
    let conflict = config.replace(
        "  \"lastIdNumber\": 1\n",
        "<<<<<<< HEAD\n  \"lastIdNumber\": 7\n=======\n  \"lastIdNumber\": 12\n>>>>>>> theirs\n",
    );
    assert_ne!(conflict, config);
    project.write("config.json", &conflict);
    let message = project.refused(&["create", "Two"]);
    assert!(message.contains("merge conflict") && message.contains("check --fix"), "{message}");
    assert_eq!(kinds(&project), ["config"]);
    let output = project.run(&["check", "--fix"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(
        project.file("config.json"),
        config.replace("\"lastIdNumber\": 1", "\"lastIdNumber\": 12")
    );
    assert_eq!(project.ok(&["create", "Two", "--plain"]), "TASK-013\n");
}
