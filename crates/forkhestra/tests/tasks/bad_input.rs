//! What makes no sense: exit 1, one clear line, nothing changed.

use crate::project::Project;

#[test]
fn every_wrong_value_is_told_with_what_is_right() {
    let project = Project::new();
    project.ok(&["create", "One", "--ac", "a"]);
    project.ok(&["create", "Two", "--depends-on", "1"]);
    for (arguments, parts) in [
        (&["view", "TASK-003"][..], &["TASK-003", "TASK-00"][..]),
        (&["view", "12"], &["12", "TASK-001", "TASK-002"]),
        (&["view", "what"], &["what", "TASK-001"]),
        (&["edit", "TASK-9", "-s", "done"], &["TASK-9"]),
        (&["edit", "1", "--check-ac", "2"], &["TASK-001", "criterion 2", "1"]),
        (&["edit", "1", "--remove-ac", "0"], &["criterion 0"]),
        (&["edit", "1", "--check-ac", "x"], &["x"]),
        (&["edit", "1", "--due", "soon"], &["soon", "2026-12-31"]),
        (&["create", "A", "--due", "2026-02-30"], &["2026-02-30"]),
        (&["edit", "1", "-s", "finished"], &["finished", "todo, in-progress, done and blocked"]),
        (&["list", "-s", "finished"], &["finished", "todo, in-progress, done and blocked"]),
        (&["edit", "1", "-p", "urgent"], &["urgent", "high, medium and low"]),
        (&["create", "A", "-p", "urgent"], &["urgent", "high, medium and low"]),
        (&["edit", "1", "--add-dep", "1"], &["TASK-001", "itself"]),
        (&["edit", "1", "--add-dep", "2"], &["TASK-001 → TASK-002 → TASK-001"]),
        (&["edit", "1", "--parent", "1"], &["TASK-001", "parent"]),
        (&["edit", "1", "-t", "  "], &["title"]),
        (&["create", ""], &["title"]),
        (&["create"], &["TITLE"]),
        (&["edit", "1"], &["nothing", "--help"]),
        (&["delete", "1"], &["-f"]),
        (&["search", "x", "--limit", "0"], &["--limit"]),
        (&["search", ""], &["QUERY"]),
        (&["init", "-f", "-p", "../x"], &["../x", "prefix"]),
        (&["claim", "--as", "ada", "--lease", "soon"], &["soon"]),
        (&["claim", "--as", "ada", "--lease", "0s"], &["--lease"]),
        (&["frobnicate"], &["frobnicate"]),
        (&["lst"], &["lst", "list"]),
        (&["list", "--sttus", "done"], &["--sttus", "--status"]),
        (&["edit", "1", "--notes", "--json"], &["--notes", "--notes=--json"]),
        (&["edit", "1", "-d"], &["--description"]),
        (&["view", "1", "2"], &["2"]),
        (&["list", "--dir", ""], &["--dir"]),
    ] {
        let said = project.refused(arguments);
        for part in parts {
            assert!(said.contains(part), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn a_config_that_cannot_be_read_stops_everything_with_its_place() {
    let project = Project::with(&["One"]);
    project.write("config.json", "{\n  \"zeroPadding\": \"three\"\n}\n");
    for arguments in [
        &["list"][..],
        &["view", "1"],
        &["edit", "1", "-s", "done"],
        &["create", "Two"],
        &["claim", "--as", "a"],
    ] {
        let said = project.refused(arguments);
        assert!(
            said.contains("config.json") && said.contains("zeroPadding") && said.contains('2'),
            "{said}"
        );
    }
    let output = project.run(&["check", "--plain"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("zeroPadding"), "{output}");
}

#[test]
fn a_directory_that_is_none_is_told() {
    let project = Project::new();
    project.env.write("forge/tasks", "a file");
    for arguments in [&["list"][..], &["create", "A"]] {
        let said = project.refused(arguments);
        assert!(said.contains("forge/tasks"), "{said}");
    }
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let project = Project::with(&["One"]);
    let mut command = project.command(&["list", "--plain"]);
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    drop(reader);
    let output = command.stdout(writer).stderr(std::process::Stdio::piped()).spawn();
    let output = output.expect("it starts").wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn help_is_no_error() {
    let project = Project::new();
    assert!(project.ok(&["--help"]).contains("claim"));
    assert!(project.ok(&["edit", "--help"]).contains("--check-ac"));
    assert!(project.ok(&["--version"]).starts_with("forge-tasks "));
}
