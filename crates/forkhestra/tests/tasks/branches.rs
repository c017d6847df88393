//! Numbers of tasks on other branches and in other work trees.

use std::fs;
use std::process::Command;

use crate::check::merge::MergeRepository;
use crate::task_test_project::{TASKS_DIRECTORY, task_file};

#[test]
fn a_new_task_gets_a_number_that_no_branch_has() {
    let repository = MergeRepository::new();
    repository
        .git(&["checkout", "-qb", "theirs"])
        .run(&["create", "Two"])
        .run(&["create", "Three"]);
    // A task that was written by hand counts as well.
    let by_hand = task_file("TASK-007", "Seven", "", "");
    repository.project.write("TASK-007 - Seven.md", &by_hand);
    repository.commit().git(&["checkout", "-q", "main"]);
    assert_eq!(repository.project.ok(&["create", "Here", "--plain"]), "TASK-008\n");
    assert_eq!(repository.project.ok(&["create", "There", "--plain"]), "TASK-009\n");
}

#[test]
fn a_work_tree_counts_before_anything_is_committed() {
    let repository = MergeRepository::new();
    let main = repository.project.env.project();
    let linked = main.with_file_name("linked");
    let path = linked.display().to_string();
    repository.git(&["worktree", "add", "-q", "-b", "side", &path]);
    let create = |title: &str, place: &std::path::Path| {
        let mut command = repository.project.command(&["create", title, "--plain"]);
        repository.project.env.output_of(command.current_dir(place)).success()
    };
    assert_eq!(create("Two", &linked), "TASK-002\n");
    assert_eq!(create("Three", &main), "TASK-003\n");
    assert_eq!(create("Four", &linked), "TASK-004\n");
}

#[test]
fn branches_of_remotes_count_if_the_config_says_so() {
    let repository = MergeRepository::new();
    repository.git(&["checkout", "-qb", "theirs"]).run(&["create", "Two"]).commit();
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["update-ref", "refs/remotes/origin/theirs", "theirs"]);
    repository.git(&["branch", "-qD", "theirs"]);
    let config = |ids: &str| {
        repository.project.write("config.json", &format!("{{{ids}\"lastIdNumber\": 1}}\n"));
    };
    config("\"ids\": {\"look\": \"remotes\"}, ");
    assert_eq!(repository.project.ok(&["create", "Three", "--plain"]), "TASK-003\n");
    fs::remove_file(repository.project.place().join("TASK-003 - Three.md")).expect("it is there");
    config("");
    assert_eq!(repository.project.ok(&["create", "Two", "--plain"]), "TASK-002\n");
}

#[test]
fn a_broken_repository_and_a_missing_git_change_nothing() {
    let repository = MergeRepository::new();
    let mut command = repository.project.command(&["create", "Two", "--plain"]);
    command.env("PATH", "/nonexistent");
    assert_eq!(repository.project.env.output_of(&mut command).success(), "TASK-002\n");
    let head = repository.project.env.project().join(".git/HEAD");
    fs::write(head, "nonsense").expect("it is ours");
    assert_eq!(repository.project.ok(&["create", "Three", "--plain"]), "TASK-003\n");
}

#[test]
fn a_hook_of_another_repository_does_not_lead_astray() {
    let repository = MergeRepository::new();
    repository.git(&["checkout", "-qb", "theirs"]).run(&["create", "Two"]).commit();
    repository.git(&["checkout", "-q", "main"]);
    let mut command: Command = repository.project.command(&["create", "Three", "--plain"]);
    command.env("GIT_DIR", "/nonexistent").env("GIT_INDEX_FILE", "/nonexistent");
    assert_eq!(repository.project.env.output_of(&mut command).success(), "TASK-003\n");
    assert!(repository.project.place().ends_with(TASKS_DIRECTORY));
}
