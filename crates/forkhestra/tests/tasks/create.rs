//! Creating tasks.

use crate::task_test_project::{TaskTestProject, task_file};

#[test]
fn the_first_task_creates_a_database() {
    let project = TaskTestProject::new();
    assert_eq!(project.ok(&["create", "Read the config", "--plain"]), "TASK-001\n");
    assert_eq!(project.ok(&["create", "Write the config", "--plain"]), "TASK-002\n");
    assert_eq!(
        project.names(),
        ["TASK-001 - Read the config.md", "TASK-002 - Write the config.md", "config.json"]
    );
    let config: serde_json::Value =
        serde_json::from_str(&project.file("config.json")).expect("it is JSON");
    assert_eq!(config["prefix"], "TASK");
    assert_eq!(config["zeroPadding"], 3);
    assert_eq!(config["lastIdNumber"], 2);
}

#[test]
fn all_options_are_written_to_the_file() {
    let project = TaskTestProject::with(&["First"]);
    project.ok(&[
        "create",
        "Read: the \"config\"",
        "-d",
        "Because.\\n\\nAnd so on.",
        "-p",
        "HIGH",
        "-a",
        "ada",
        "-l",
        "backend",
        "--label",
        "io,fast",
        "--due",
        "2026-12-31",
        "--depends-on",
        "1",
        "--ac",
        "It is read",
        "--ac",
        "- even if\\nit is empty",
        "--parent",
        "task-1",
    ]);
    let text = project.file("TASK-002");
    let (front, body) = text.split_once("createdAt").expect("it has that");
    assert_eq!(
        front,
        "---\nid: TASK-002\ntitle: \"Read: the \\\"config\\\"\"\nstatus: To Do\npriority: high\nassignee: ada\n\
         labels: [backend, io, fast]\ndependencies: [TASK-001]\nparent: TASK-001\ndueDate: \"2026-12-31\"\n"
    );
    let (times, body) = body.split_once("---\n").expect("the front matter ends");
    let times: Vec<&str> = times.lines().collect();
    let moment = times[0].strip_prefix(": ").expect("a value follows");
    assert_eq!(times[1], format!("updatedAt: {moment}"));
    assert!(
        moment.starts_with("\"20") && moment.ends_with("Z\"") && moment.len() == 26,
        "{moment}"
    );
    assert_eq!(
        body,
        "\n## Description\n\nBecause.\n\nAnd so on.\n\n## Acceptance Criteria\n\n<!-- AC:BEGIN -->\n\
         - [ ] #1 It is read\n- [ ] #2 - even if\n  it is empty\n<!-- AC:END -->\n"
    );
}

#[test]
fn a_number_is_never_reused() {
    let project = TaskTestProject::with(&["One", "Two", "Three"]);
    project.ok(&["delete", "3", "-f"]);
    project.ok(&["archive", "2"]);
    assert_eq!(project.ok(&["create", "Four", "--plain"]), "TASK-004\n");
    // A file from another branch arrives with a merge.
    project.write("TASK-017 - Merged.md", "---\nid: TASK-017\ntitle: Merged\n---\n");
    assert_eq!(project.ok(&["create", "Next", "--plain"]), "TASK-018\n");
}

#[test]
fn defaults_of_the_config_are_used_and_its_other_keys_stay() {
    let project = TaskTestProject::new();
    let config = "{\n  // Ours.\n  \"prefix\": \"BUG\",\n  \"zeroPadding\": 5,\n  \"defaultPriority\": \"low\",\n  \
                  \"defaultLabels\": [\"new\"],\n  \"theirs\": {\"x\": [1]},\n  \"lastIdNumber\": 41,\n}\n";
    project.write("config.json", config);
    assert_eq!(project.ok(&["create", "A", "-l", "own", "--plain"]), "BUG-00042\n");
    assert_eq!(project.field("42", "priority"), "low");
    assert_eq!(project.field("42", "labels"), serde_json::json!(["new", "own"]));
    assert_eq!(project.file("config.json"), config.replace("41", "42"));
}

#[test]
fn no_title_can_leave_the_directory_or_fill_it() {
    let project = TaskTestProject::new();
    let long = "ä".repeat(500);
    let titles = ["../../etc/passwd", "a/b\\c:d*e?f\"g<h>i|j", "...", "\u{1b}[31mred\nline", &long];
    for title in titles {
        project.ok(&["create", title]);
    }
    let names = project.names();
    assert_eq!(names.len(), titles.len() + 1, "{names:?}");
    for name in &names {
        assert!(name.len() <= 200 && !name.contains(['\\', ':', '*', '\u{1b}']), "{name}");
    }
    assert_eq!(project.field("5", "title"), long.as_str());
    assert_eq!(project.field("1", "title"), "../../etc/passwd");
}

#[test]
fn a_missing_dependency_is_a_warning() {
    let project = TaskTestProject::new();
    let (printed, message) = project.warned(&["create", "A", "--depends-on", "7", "--plain"]);
    assert_eq!(printed, "TASK-001\n");
    assert_eq!(message, "warning: there is no TASK-007 yet that it depends on\n");
    // The dependency must not become a cycle later.
    for number in 2..=6 {
        project.ok(&["create", &number.to_string()]);
    }
    let message = project.refused(&["create", "B", "--depends-on", "1"]);
    assert_eq!(
        message,
        "TASK-007 cannot depend on TASK-001: TASK-007 → TASK-001 → TASK-007 is a circle"
    );
}

#[test]
fn a_refused_create_leaves_no_files() {
    let project = TaskTestProject::new();
    let message = project.refused(&["create", "A", "--depends-on", "TASK-001"]);
    assert_eq!(message, "the new task itself will be TASK-001, so it cannot refer to TASK-001");
    assert!(!project.env.has("forge"));
}

#[test]
fn an_empty_priority_overrides_the_config() {
    let project = TaskTestProject::new();
    project.write("config.json", "{\"defaultPriority\": \"high\", \"lastIdNumber\": 0}\n");
    project.ok(&["create", "A", "-p", ""]);
    assert_eq!(project.field("1", "priority"), serde_json::Value::Null);
}

#[test]
fn init_makes_an_empty_database_and_keeps_one_that_is_there() {
    let project = TaskTestProject::new();
    project.ok(&["init", "--prefix", "FE", "-n", "Front end"]);
    assert_eq!(
        project.file("config.json"),
        "{\n  \"prefix\": \"FE\",\n  \"zeroPadding\": 3,\n  \"projectName\": \"Front end\",\n  \
         \"defaultPriority\": null,\n  \"defaultLabels\": [],\n  \"lastIdNumber\": 0\n}\n"
    );
    assert_eq!(project.ok(&["create", "A", "--plain"]), "FE-001\n");
    project.refused(&["init"]);
    project.ok(&["init", "-f", "-p", "BE"]);
    assert_eq!(project.ok(&["create", "B", "--plain"]), "BE-002\n");
    assert_eq!(project.field("FE-1", "title"), "A");
}

#[test]
fn a_damaged_config_never_lets_numbers_begin_again() {
    let project = TaskTestProject::with(&["One", "Two", "Three"]);
    project.ok(&["delete", "3", "-f"]);
    for damage in [
        "{\"lastIdNumber\": 3",
        "",
        "[]",
        "{\"lastIdNumber\": \"three\"}",
        "{\"prefix\": \"../x\"}",
    ] {
        project.write("config.json", damage);
        let message = project.refused(&["create", "Four"]);
        assert!(message.contains("config.json"), "{message}");
    }
    let damaged = "{\n  \"prefix\": \"BUG\",\n  \"lastIdNumber\":\n    3\n";
    project.write("config.json", damaged);
    let (_, message) = project.warned(&["init", "--force", "--prefix", "BUG"]);
    assert_eq!(
        message,
        "warning: config.json was damaged and is kept as config.json.damaged-1; its settings are not in the \
         new one\nwarning: the new one continues after BUG-003\n"
    );
    assert_eq!(project.file("config.json.damaged-1"), damaged);
    assert_eq!(project.ok(&["create", "Four", "--plain"]), "BUG-004\n");
}

#[test]
fn a_missing_config_is_recreated_with_a_warning() {
    let project = TaskTestProject::with(&["One", "Two", "Three"]);
    project.ok(&["delete", "3", "-f"]);
    std::fs::remove_file(project.place().join("config.json")).expect("it is there");
    let (printed, warning) = project.warned(&["create", "Four", "--plain"]);
    assert_eq!(printed, "TASK-003\n");
    assert_eq!(warning, "warning: config.json was missing; the new one continues after TASK-002\n");
    project.write("config.json", "{\"prefix\": \"BUG\"}\n");
    let (printed, warning) = project.warned(&["create", "Five", "--plain"]);
    assert_eq!(printed, "BUG-004\n");
    assert_eq!(warning, "warning: config.json had no lastIdNumber; it continues after TASK-003\n");
    assert_eq!(project.file("config.json"), "{\"prefix\": \"BUG\", \"lastIdNumber\": 4}\n");
    assert_eq!(project.ok(&["create", "Six", "--plain"]), "BUG-005\n");
}

#[test]
fn an_id_counts_regardless_of_its_file_name() {
    let project = TaskTestProject::with(&["A"]);
    let copy = project.file("TASK-001").replace("id: TASK-001", "id: TASK-002");
    project.write("TASK-001 - A copy.md", &copy);
    assert_eq!(project.ok(&["create", "B", "--plain"]), "TASK-003\n");
    project.write("TASK-004 - Loud.MD", &copy.replace("id: TASK-002", "id: TASK-004"));
    assert_eq!(project.field("4", "title"), "A");
    assert_eq!(project.ok(&["create", "C", "--plain"]), "TASK-005\n");
}

#[test]
fn a_dependency_cycle_through_a_renamed_file_is_found() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.write(
        "TASK-009 - Odd.md",
        &task_file("TASK-003", "Odd", "dependencies: [TASK-001]\n", ""),
    );
    let message = project.refused(&["edit", "1", "--add-dep", "3"]);
    assert!(message.contains("TASK-001 → TASK-003 → TASK-001"), "{message}");
    assert_eq!(
        project.ok(&["edit", "2", "--add-dep", "3", "--plain"]),
        "updated TASK-002: dependencies\n"
    );
}
