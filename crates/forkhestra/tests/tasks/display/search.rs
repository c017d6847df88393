//! `forge-tasks search`.

use crate::task_test_project::TaskTestProject;

fn project() -> TaskTestProject {
    let project = TaskTestProject::new();
    project.ok(&["create", "Alpha", "-d", "mentions the PARSER once"]);
    project.ok(&["create", "Parser for config", "-p", "high", "-l", "io"]);
    project.ok(&["create", "Beta"]);
    project.ok(&["edit", "3", "--notes", "the parser was hard", "-s", "done"]);
    project.ok(&["create", "Gamma", "-l", "parser"]);
    project.ok(&["create", "Config of the parser"]);
    project.ok(&["edit", "5", "--plan", "x"]);
    project
}

fn found(project: &TaskTestProject, arguments: &[&str]) -> Vec<String> {
    let printed = project.run(&[&["search", "--plain"], arguments].concat());
    assert_eq!(printed.code, Some(0), "{printed}");
    printed
        .stdout
        .lines()
        .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn titles_come_first_and_then_the_rest() {
    let project = project();
    assert_eq!(found(&project, &["parser"]), ["TASK-002", "TASK-005", "TASK-001", "TASK-003"]);
    assert_eq!(found(&project, &["parser config"]), ["TASK-002", "TASK-005"]);
    assert_eq!(found(&project, &["PARSER", "-s", "done"]), ["TASK-003"]);
    assert_eq!(found(&project, &["parser", "-p", "high"]), ["TASK-002"]);
    assert_eq!(found(&project, &["parser", "-l", "io"]), ["TASK-002"]);
    assert_eq!(found(&project, &["nothing like it"]), [""; 0]);
}

#[test]
fn a_limited_result_is_reported_as_limited() {
    let project = project();
    let output = project.run(&["search", "parser", "--limit", "1", "--plain"]);
    assert_eq!((output.code, output.stdout.lines().count()), (Some(0), 1), "{output}");
    assert!(output.stderr.contains('3'), "{output}");
    assert!(project.refused(&["search", "parser", "--limit", "0"]).contains("--limit"));
}

#[test]
fn archived_tasks_are_found_only_on_request() {
    let project = project();
    project.ok(&["archive", "2"]);
    assert_eq!(found(&project, &["parser config"]), ["TASK-005"]);
    assert_eq!(found(&project, &["parser config", "--all"]), ["TASK-002", "TASK-005"]);
    let help = project.ok(&["search", "--help"]);
    assert!(help.contains("title, description, criteria, plan and notes"), "{help}");
}

#[test]
fn acceptance_criteria_are_searched() {
    let project = TaskTestProject::new();
    project.ok(&["create", "Draw", "--ac", "A zebra is in the picture"]);
    project.ok(&["create", "Write"]);
    assert_eq!(found(&project, &["zebra picture"]), ["TASK-001"]);
}
