//! Concurrent commands: no change is lost, and no id or claim is given twice.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};

use crate::task_test_project::TaskTestProject;

const WRITERS: usize = 50;

/// Runs a command for each number concurrently, and waits for all of them.
fn all_at_once(
    project: &TaskTestProject,
    arguments: impl Fn(usize) -> Vec<String>,
) -> Vec<(Option<i32>, String)> {
    let started: Vec<Child> = (0..WRITERS)
        .map(|number| {
            let arguments = arguments(number);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let mut command = project.command(&arguments);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
        })
        .collect();
    let ended = started.into_iter().map(|child| child.wait_with_output().expect("it ends"));
    ended
        .map(|output| {
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(message, "", "{:?}", output.status);
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        })
        .collect()
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[test]
fn fifty_concurrent_creates_make_fifty_tasks() {
    let project = TaskTestProject::new();
    let ended = all_at_once(&project, |number| words(&format!("create Task{number} --plain")));
    let ids: BTreeSet<&String> = ended.iter().map(|(_, printed)| printed).collect();
    assert_eq!(ids.len(), WRITERS, "{ended:?}");
    let listed = project.ok(&["list", "--plain"]);
    assert_eq!(listed.lines().count(), WRITERS);
    for number in 0..WRITERS {
        assert_eq!(
            listed.lines().filter(|line| line.ends_with(&format!(" Task{number}"))).count(),
            1
        );
    }
    assert_eq!(project.names().len(), WRITERS + 1, "and nothing else is left");
}

#[test]
fn fifty_concurrent_edits_of_one_task_all_apply() {
    let project = TaskTestProject::with(&["One"]);
    all_at_once(&project, |number| match number % 3 {
        0 => words(&format!("edit 1 --add-label label{number}.")),
        1 => words(&format!("edit 1 --append-notes note{number}.")),
        _ => words(&format!("edit 1 --add-ac criterion{number}.")),
    });
    let text = project.file("TASK-001");
    for number in 0..WRITERS {
        let change = match number % 3 {
            0 => format!("label{number}."),
            1 => format!("note{number}."),
            _ => format!("criterion{number}."),
        };
        assert_eq!(text.matches(&change).count(), 1, "{change}: {text}");
    }
    assert_eq!(project.field("1", "labels").as_array().map(Vec::len), Some(17));
    assert_eq!(project.field("1", "acceptanceCriteria").as_array().map(Vec::len), Some(16));
}

#[test]
fn fifty_concurrent_claims_get_different_tasks() {
    let project = TaskTestProject::new();
    for number in 0..WRITERS - 10 {
        project.ok(&["create", &format!("Task {number}")]);
    }
    let started: Vec<Child> = (0..WRITERS)
        .map(|_| {
            let mut command = project.command(&["claim", "--plain"]);
            command.env("USER", "ada").stdout(Stdio::piped()).stderr(Stdio::null());
            command.spawn().expect("it starts")
        })
        .collect();
    let mut taken = Vec::new();
    let mut without = 0;
    for child in started {
        let output = child.wait_with_output().expect("it ends");
        match output.status.code() {
            Some(0) => taken.push(
                String::from_utf8_lossy(&output.stdout)
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            ),
            Some(3) => without += 1,
            code => panic!("{code:?}"),
        }
    }
    assert_eq!(without, 10);
    assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), WRITERS - 10, "{taken:?}");
}

#[test]
fn readers_see_every_task_all_the_time() {
    let project = TaskTestProject::with(&["A", "B", "C"]);
    let writers: Vec<Child> = (0..10)
        .map(|number| {
            let title = format!("Title {number}");
            let mut command = project.command(&["edit", "2", "-t", &title]);
            command.stdout(Stdio::null()).spawn().expect("it starts")
        })
        .collect();
    for _ in 0..30 {
        let listed = project.ok(&["list", "--plain"]);
        assert_eq!(listed.lines().count(), 3, "{listed}");
    }
    for mut writer in writers {
        assert!(writer.wait().expect("it ends").success());
    }
    assert_eq!(project.names().len(), 4);
}
