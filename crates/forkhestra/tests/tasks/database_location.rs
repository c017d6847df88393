//! The location of the database.

use std::fs;
use std::os::unix::fs::symlink;

use crate::task_test_project::TaskTestProject;

#[test]
fn reading_creates_nothing_and_finds_nothing() {
    let project = TaskTestProject::new();
    for arguments in
        [&["list"][..], &["ls", "--plain"], &["list", "--ready"], &["board"], &["graph"]]
    {
        let message = project.run(arguments);
        assert_eq!(
            (message.code, message.stdout.as_str()),
            (Some(0), ""),
            "{arguments:?}: {message}"
        );
    }
    assert_eq!(project.ok(&["list", "--json"]), "[]\n");
    assert_eq!(project.ok(&["check"]).lines().count(), 1);
    let message = project.refused(&["view", "1"]);
    assert!(message.contains("forge-tasks create"), "{message}");
    assert!(!project.env.has("forge"));
}

#[test]
fn the_database_is_found_from_subdirectories_of_the_repository() {
    let project = TaskTestProject::new();
    fs::create_dir_all(project.env.project().join(".git")).expect("it is ours");
    fs::create_dir_all(project.env.project().join("a/b")).expect("it is ours");
    let below = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.current_dir(project.env.project().join("a/b"));
        project.env.output_of(&mut command).success()
    };
    assert_eq!(below(&["create", "From below", "--plain"]), "TASK-001\n");
    assert_eq!(project.names(), ["TASK-001 - From below.md", "config.json"]);
    assert_eq!(below(&["list", "--plain"]), "TASK-001 | To Do | - | From below\n");
    // A nested repository has tasks of its own.
    fs::create_dir_all(project.env.project().join("a/b/.git")).expect("it is ours");
    assert_eq!(below(&["list", "--plain"]), "");
}

#[test]
fn outside_a_repository_only_the_directory_itself_counts() {
    let project = TaskTestProject::with(&["One"]);
    fs::create_dir_all(project.env.project().join("a")).expect("it is ours");
    let mut command = project.command(&["list", "--plain"]);
    command.current_dir(project.env.project().join("a"));
    assert_eq!(project.env.output_of(&mut command).success(), "");
}

#[test]
fn another_directory_can_be_named() {
    let project = TaskTestProject::new();
    project.ok(&["create", "Here", "--dir", "elsewhere/tasks"]);
    assert!(project.env.has("elsewhere/tasks/TASK-001 - Here.md"));
    let mut command = project.command(&["list", "--plain"]);
    command.env("FORGE_TASKS_DIR", "elsewhere/tasks");
    assert_eq!(project.env.output_of(&mut command).success(), "TASK-001 | To Do | - | Here\n");
    let mut command = project.command(&["--dir", "forge/tasks", "list", "--plain"]);
    command.env("FORGE_TASKS_DIR", "elsewhere/tasks");
    assert_eq!(project.env.output_of(&mut command).success(), "");
}

#[test]
fn links_are_not_followed_out_of_the_database() {
    let project = TaskTestProject::with(&["One"]);
    let outside = project.env.root().join("outside.md");
    fs::write(&outside, "---\nid: TASK-009\ntitle: Outside\n---\n").expect("it is ours");
    symlink(&outside, project.place().join("TASK-009 - Outside.md")).expect("it is ours");
    let (printed, warning) = project.warned(&["list", "--plain"]);
    assert_eq!(printed, "TASK-001 | To Do | - | One\n");
    assert!(warning.contains("TASK-009 - Outside.md"), "{warning}");
    project.run(&["edit", "9", "-s", "done"]).failure(1);
    assert!(!fs::read_to_string(&outside).expect("it is there").contains("Done"));

    let elsewhere = project.env.root().join("elsewhere");
    fs::create_dir(&elsewhere).expect("it is ours");
    symlink(&elsewhere, project.place().join("archive")).expect("it is ours");
    project.run(&["archive", "1"]).failure(1);
    assert_eq!(fs::read_dir(&elsewhere).expect("it is there").count(), 0);
    assert!(project.names().contains(&"TASK-001 - One.md".to_owned()));
}
