//! Common mistakes on the command line, and the aliases that are accepted.

use std::fs;

use crate::task_test_project::TaskTestProject;

#[test]
fn suggestions_are_plausible_or_absent() {
    let project = TaskTestProject::with(&["One", "Two"]);
    for (arguments, ending) in [
        (&["create", "x", "--plan", "foo"][..], "only `edit` has it"),
        (&["create", "x", "--status", "done"], "`edit` has it"),
        (&["list", "--foo"], "see `forge-tasks list --help`"),
        (&["ready"], "did you mean `list --ready`?"),
        (&["done", "1"], "did you mean `edit ID -s done`?"),
        (&["status"], "did you mean `board` or `list`?"),
        (&["create", "x", "--depends-on", "1", "2"], "`--depends-on 1,2` or repeat `--depends-on`"),
        (&["create", "--", "--dash", "--plain"], "options stand before `--`"),
        (&["edit", "1", "--check-ac", "-1"], "`-1` is not the number of a criterion, such as 1"),
        (&["search", "x", "--limit", "-1"], "from 1 on, not `-1`"),
        (&["claim", "--as", "a", "--lease", "-1h"], "must be more than no time, not `-1h`"),
        (
            &["claim", "--as", "a", "--lease", "45"],
            "(s, m, h, d or w), such as 90m or 2h, not `45`",
        ),
    ] {
        let message = project.refused(arguments);
        assert!(message.ends_with(ending), "{arguments:?}: {message}");
    }
}

#[test]
fn names_of_other_programs_are_accepted() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.ok(&["edit", "2", "--deps", "1", "--tag", "parser", "--note", "Begun."]);
    assert_eq!(project.field("2", "dependencies"), serde_json::json!(["TASK-001"]));
    assert_eq!(project.field("2", "labels"), serde_json::json!(["parser"]));
    assert_eq!(project.field("2", "implementationNotes"), "Begun.");
    assert_eq!(project.ok(&["add", "Three", "--dep", "2", "--plain"]), "TASK-003\n");
}

#[test]
fn flags_can_be_repeated_and_leases_can_be_long() {
    let project = TaskTestProject::with(&["One"]);
    assert_eq!(project.ok(&["list", "--plain", "--plain"]), "TASK-001 | To Do | - | One\n");
    project.ok(&["claim", "--as", "ada", "--lease", "3d", "--json", "--json"]);
    project.ok(&["release", "1"]);
    project.ok(&["claim", "--as", "ada", "--lease", "1w"]);
}

#[test]
fn the_searched_directories_are_reported() {
    let project = TaskTestProject::new();
    fs::create_dir_all(project.env.project().join("a/b")).expect("it is ours");
    let output = |below: &str| {
        let mut command = project.command(&["view", "1"]);
        command.current_dir(project.env.project().join(below));
        project.env.output_of(&mut command).failure(1)
    };
    let outside = output("a/b");
    assert!(
        outside.contains("in `$TEST/project/a/b`, and only repositories are searched upwards"),
        "{outside}"
    );
    fs::create_dir(project.env.project().join(".git")).expect("it is ours");
    let inside = output("a/b");
    assert!(inside.contains("from `$TEST/project/a/b` up to `$TEST/project`;"), "{inside}");
}

#[test]
fn a_change_is_reported_even_if_standard_output_fails() {
    let project = TaskTestProject::with(&["One"]);
    for (arguments, done) in [
        (&["create", "Two"][..], "TASK-002 was created, but "),
        (&["edit", "1", "-s", "done"], "TASK-001 was updated, but "),
        (&["claim", "--as", "ada"], "TASK-002 was claimed by ada, but "),
        (&["archive", "--done"], "TASK-001 was archived, but "),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").expect("there is one");
        let output = project.command(arguments).stdout(full).output().expect("it starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.starts_with(&format!("error: {done}cannot write to standard output")),
            "{message}"
        );
    }
    assert_eq!(project.names(), ["TASK-002 - Two.md", "archive/TASK-001 - One.md", "config.json"]);
}

#[test]
fn errors_name_files_relative_to_the_current_directory() {
    let project = TaskTestProject::with(&["One"]);
    project.write("TASK-001 - One.md", "---\nid: [\n---\n");
    let message = project.refused(&["view", "1"]);
    assert!(message.starts_with("forge/tasks/TASK-001 - One.md "), "{message}");
    project.write("config.json", "{");
    let message = project.refused(&["list"]);
    assert!(message.starts_with("forge/tasks/config.json"), "{message}");
}
