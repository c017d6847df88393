//! git merges tasks with `forge-tasks merge-file`.

use std::fs;

use crate::check::merge::MergeRepository;
use crate::check::problems::kinds;
use crate::task_test_project::{TASKS_DIRECTORY, TaskTestProject};

const DRIVER: &str = "forge-tasks merge-file %O %A %B %P";
const SHARED: &str = "TASK-002 - Shared.md";

/// A repository whose tasks git merges field by field, and two branches that changed one.
fn with_driver(theirs: &[&[&str]], ours: &[&[&str]]) -> MergeRepository {
    let repository = MergeRepository::new();
    let output = repository.project.run(&["init", "--force"]);
    assert_eq!(output.code, Some(0), "{output}");
    repository.run(&["create", "Shared", "--ac", "One", "--ac", "Two"]).commit();
    repository.git(&["checkout", "-qb", "theirs"]);
    theirs.iter().for_each(|change| drop(repository.project.ok(change)));
    repository.commit().git(&["checkout", "-q", "main"]);
    ours.iter().for_each(|change| drop(repository.project.ok(change)));
    repository.commit();
    repository
}

fn config(repository: &MergeRepository, key: &str) -> String {
    let output = repository.try_git(&["config", "--local", "--get-all", key]).stdout;
    String::from_utf8_lossy(&output).into_owned()
}

#[test]
fn branches_that_changed_the_same_task_are_merged() {
    let repository = with_driver(
        &[&["claim", "2", "--as", "ada"], &["edit", "2", "--add-label", "x", "--check-ac", "1"]],
        &[&["edit", "2", "--append-notes", "Done.", "--check-ac", "2", "-s", "done"]],
    );
    repository.git(&["merge", "-q", "--no-edit", "theirs"]);
    let field = |name| repository.project.field("2", name);
    assert_eq!(field("status"), "Done");
    assert_eq!(field("labels"), serde_json::json!(["x"]));
    assert_eq!(field("implementationNotes"), "Done.");
    assert!(!repository.project.file(SHARED).contains("lease"));
    assert_eq!(kinds(&repository.project), [""; 0]);
}

#[test]
fn a_merge_without_a_work_tree_uses_it_as_well() {
    let repository =
        with_driver(&[&["edit", "2", "-p", "low"]], &[&["edit", "2", "--add-label", "x"]]);
    let output = repository.try_git(&["merge-tree", "--write-tree", "main", "theirs"]);
    if String::from_utf8_lossy(&output.stderr).contains("usage") {
        return; // This git is older than 2.38.
    }
    assert!(output.status.success(), "{output:?}");
    let tree = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let shown = repository.try_git(&["show", &format!("{tree}:{TASKS_DIRECTORY}/{SHARED}")]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("priority: low\n") && shown.contains("labels: [x]\n"), "{shown}");
}

#[test]
fn a_conflict_is_only_in_its_field() {
    let repository = with_driver(
        &[&["edit", "2", "-s", "blocked", "--append-notes", "Theirs."]],
        &[&["edit", "2", "-s", "done", "--append-notes", "Ours."]],
    );
    let merged = repository.try_git(&["merge", "-q", "theirs"]);
    assert!(!merged.status.success(), "{merged:?}");
    let said = String::from_utf8_lossy(&merged.stderr).into_owned();
    let expected = format!("{TASKS_DIRECTORY}/{SHARED}: both sides changed status; edit the file");
    assert!(said.contains(&expected), "{said}");
    assert_eq!(repository.project.field("2", "implementationNotes"), "Theirs.\n\nOurs.");
    let file = repository.project.file(SHARED);
    assert_eq!(file.matches("<<<<<<<").count(), 1, "{file}");
    let checked = repository.project.run(&["check", "--plain"]).stdout;
    assert!(checked.contains("TASK-002 - Shared.md has a merge conflict in line 4"), "{checked}");
}

#[test]
fn init_sets_git_up_once_and_keeps_what_is_there() {
    let repository = MergeRepository::new();
    let attributes = repository.project.env.project().join(".gitattributes");
    fs::write(&attributes, "*.png binary").expect("the place is ours");
    for _ in 0..2 {
        let output = repository.project.run(&["init", "--force"]);
        assert_eq!(output.code, Some(0), "{output}");
        let text = fs::read_to_string(&attributes).expect("it is there");
        assert_eq!(text, "*.png binary\nforge/tasks/** merge=forge-tasks\n");
        assert_eq!(config(&repository, "merge.forge-tasks.driver"), format!("{DRIVER}\n"));
    }
    repository.git(&["config", "merge.forge-tasks.driver", "mine %A"]);
    let (_, said) = repository.project.warned(&["init", "--force"]);
    assert!(said.contains("the git config merge.forge-tasks.driver is `mine %A`; that stays"));
    assert_eq!(config(&repository, "merge.forge-tasks.driver"), "mine %A\n");
    fs::write(&attributes, "forge/** merge=union\n").expect("the place is ours");
    let (_, said) = repository.project.warned(&["init", "--force"]);
    assert!(said.contains("git merges forge/tasks with `union`"), "{said}");
}

#[test]
fn init_changes_nothing_outside_of_git_and_for_ignored_tasks() {
    let project = TaskTestProject::new();
    project.ok(&["init"]);
    assert!(!project.env.project().join(".gitattributes").exists());
    let repository = MergeRepository::new();
    repository.project.env.write(".gitignore", "forge/\n");
    repository.project.ok(&["init", "--force"]);
    assert!(!repository.project.env.project().join(".gitattributes").exists());
    assert_eq!(config(&repository, "merge.forge-tasks.driver"), "");
}

#[test]
fn a_clone_without_the_driver_is_told_how_to_set_it_up() {
    let repository = with_driver(&[&["edit", "2", "-p", "high"]], &[&["edit", "2", "-p", "low"]]);
    repository.git(&["config", "--remove-section", "merge.forge-tasks"]);
    let command = format!("git config merge.forge-tasks.driver '{DRIVER}'");
    let (_, said) = repository.project.warned(&["check"]);
    assert!(said.contains(&format!("as .gitattributes asks; set it up: {command}")), "{said}");
    let mut doctor = repository.project.env.command(env!("CARGO_BIN_EXE_forkhestra"));
    let found = repository.project.env.output_of(doctor.arg("doctor")).stdout;
    assert!(found.contains("this clone does not merge tasks field by field"), "{found}");
    assert!(found.contains(&command), "{found}");
    repository.git(&["config", "merge.forge-tasks.driver", DRIVER]);
    assert_eq!(repository.project.run(&["check"]).stderr, "");
}

#[test]
fn the_exit_code_tells_a_conflict_from_a_failure() {
    let project = TaskTestProject::new();
    let task = |more: &str| format!("---\r\nid: TASK-1\r\ntitle: T\r\n{more}---");
    for (name, text) in [
        ("empty", String::new()),
        ("ours", task("labels: [a]\r\n")),
        ("theirs", task("labels: [b]\r\npriority: low\r\n")),
    ] {
        project.env.write(name, &text);
    }
    let merge = |files: &[&str]| project.run(&[&["merge-file"], files].concat());
    let merged = merge(&["empty", "ours", "theirs", "forge/tasks/TASK-1 - T.md"]);
    assert_eq!((merged.code, merged.stderr.as_str()), (Some(0), ""));
    let ours = fs::read_to_string(project.env.project().join("ours")).expect("it is there");
    assert_eq!(ours, task("labels: [a, b]\r\npriority: low\r\n"));
    project.env.write("ours", task("priority: high\r\n"));
    assert_eq!(merge(&["empty", "ours", "theirs", "T.md"]).code, Some(1));
    for wrong in [&["empty", "ours", "nothing", "T.md"][..], &["empty"], &["a", "b", "c", "d", "e"]]
    {
        let refused = merge(wrong);
        assert_eq!(refused.code, Some(129), "{refused}");
        assert_eq!(refused.stderr.lines().count(), 1, "{refused}");
    }
}
