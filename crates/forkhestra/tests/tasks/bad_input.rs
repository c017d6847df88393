//! Invalid input: exit code 1, one clear line, and no change.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::task_test_project::TaskTestProject;

#[test]
fn every_wrong_value_is_reported_with_the_valid_ones() {
    let project = TaskTestProject::new();
    project.ok(&["create", "One", "--ac", "a"]);
    project.ok(&["create", "Two", "--depends-on", "1"]);
    for (arguments, parts) in [
        (&["view", "TASK-003"][..], &["TASK-003", "the ids go from TASK-001 to TASK-002"][..]),
        (&["view", "TASK-999"], &["TASK-999; the ids go from TASK-001 to TASK-002"]),
        (&["view", "999"], &["999; the ids go from TASK-001 to TASK-002"]),
        (&["view", "22"], &["22; did you mean TASK-002?"]),
        (&["view", "BUG-1"], &["BUG-1; did you mean TASK-001?"]),
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
        let message = project.refused(arguments);
        for part in parts {
            assert!(message.contains(part), "{arguments:?}: {message}");
        }
    }
}

#[test]
fn an_unreadable_config_stops_everything_with_its_path() {
    let project = TaskTestProject::with(&["One"]);
    project.write("config.json", "{\n  \"zeroPadding\": \"three\"\n}\n");
    for arguments in [
        &["list"][..],
        &["view", "1"],
        &["edit", "1", "-s", "done"],
        &["create", "Two"],
        &["claim", "--as", "a"],
    ] {
        let message = project.refused(arguments);
        assert!(
            message.contains("config.json")
                && message.contains("zeroPadding")
                && message.contains('2'),
            "{message}"
        );
    }
    let output = project.run(&["check", "--plain"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("zeroPadding"), "{output}");
}

#[test]
fn a_path_that_is_no_directory_is_reported() {
    let project = TaskTestProject::new();
    project.env.write("forge/tasks", "a file");
    for arguments in [&["list"][..], &["create", "A"]] {
        let message = project.refused(arguments);
        assert!(message.contains("forge/tasks"), "{message}");
    }
}

#[test]
fn a_dangling_link_is_no_empty_database() {
    for link in ["forge", "forge/tasks"] {
        let project = TaskTestProject::new();
        let place = project.env.project().join(link);
        fs::create_dir_all(place.parent().expect("it is in the project")).expect("it is ours");
        symlink("nothing", &place).expect("it is ours");
        for arguments in [&["list"][..], &["view", "1"], &["create", "A"], &["check"]] {
            let message = project.refused(arguments);
            assert!(message.ends_with("is a symbolic link that leads nowhere"), "{message}");
        }
    }
}

#[test]
fn an_inaccessible_directory_is_no_empty_database() {
    let project = TaskTestProject::with(&["One"]);
    let above = project.env.project().join("forge");
    let permit = |mode| fs::set_permissions(&above, fs::Permissions::from_mode(mode));
    permit(0o000).expect("it is ours");
    // Permissions do not apply to root.
    if fs::read_dir(&above).is_err() {
        for arguments in [&["list"][..], &["view", "1"], &["create", "A"], &["check"]] {
            let message = project.refused(arguments);
            assert!(message.contains("forge/tasks: Permission denied"), "{message}");
        }
    }
    permit(0o755).expect("it is ours");
}

#[test]
fn an_unreadable_archive_stops_lookups_by_id() {
    let project = TaskTestProject::with(&["One"]);
    project.write("archive", "a file");
    for arguments in [&["view", "2"][..], &["edit", "1", "--add-dep", "2"], &["create", "B"]] {
        let message = project.refused(arguments);
        assert!(message.ends_with("archive is not a directory"), "{message}");
    }
    project.ok(&["edit", "1", "--add-label", "x"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let project = TaskTestProject::with(&["One"]);
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
    let project = TaskTestProject::new();
    assert!(project.ok(&["--help"]).contains("claim"));
    assert!(project.ok(&["edit", "--help"]).contains("--check-ac"));
    assert!(project.ok(&["--version"]).starts_with("forge-tasks "));
}
