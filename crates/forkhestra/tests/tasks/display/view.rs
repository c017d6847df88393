//! `forge-tasks view`.

use crate::task_test_project::{TaskTestProject, task_file};

const BODY: &str = "\n## Description\n\nTwo\nlines.\n\n## Implementation Plan\n\n1. Think\n\n\
                    ## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 First\n- [x] #3 Third\n<!-- AC:END -->\n\n\
                    ## Implementation Notes\n\nDone = all\n\n## Other\n\nText\n";

fn project() -> TaskTestProject {
    let project = TaskTestProject::new();
    let front = "status: in progress\npriority: High\nassignee: ada\nlabels:\n  - a\n  - b\ndependencies: [TASK-2, '3']\n\
                 dueDate: 2026-12-31\ncreatedAt: \"2026-11-15T10:00:00.000Z\"\nupdatedAt: \"2026-11-15T11:00:00.000Z\"\n";
    project.write("TASK-001 - Title.md", &task_file("TASK-001", "A = b", front, BODY));
    project.write("TASK-002 - Bare.md", &task_file("TASK-002", "Bare", "", ""));
    project
}

#[test]
fn a_plain_view_has_a_line_for_each_key() {
    assert_eq!(
        project().ok(&["view", "1", "--plain"]),
        "id=TASK-001\ntitle=A = b\nstatus=In Progress\npriority=high\nassignee=ada\nlabels=a,b\n\
         dependencies=TASK-2,3\ncreated=2026-11-15T10:00:00.000Z\nupdated=2026-11-15T11:00:00.000Z\n\
         dueDate=2026-12-31\ndescription=Two\\nlines.\nplan=1. Think\nac.1=[ ] First\nac.3=[x] Third\n\
         notes=Done = all\n"
    );
    let bare = project().run(&["show", "task-2", "--plain"]);
    assert_eq!(bare.code, Some(0), "{bare}");
    assert_eq!(
        bare.stdout,
        "id=TASK-002\ntitle=Bare\nstatus=To Do\npriority=\nassignee=\nlabels=\ndependencies=\ncreated=\n\
         updated=\ndescription=\n"
    );
}

#[test]
fn json_is_an_object_with_everything() {
    let project = project();
    let printed = project.ok(&["view", "TASK-1", "--json"]);
    let task: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
    assert_eq!(
        task["acceptanceCriteria"],
        serde_json::json!([
            {"index": 1, "text": "First", "checked": false},
            {"index": 3, "text": "Third", "checked": true},
        ])
    );
    assert_eq!(task["description"], "Two\nlines.");
    assert_eq!(task["implementationPlan"], "1. Think");
    assert_eq!(task["implementationNotes"], "Done = all");
    assert_eq!(task["dueDate"], "2026-12-31");
    assert!(task["rawContent"].as_str().expect("it is text").ends_with("## Other\n\nText\n"));
}

#[test]
fn archived_tasks_can_be_seen_too() {
    let project = project();
    project.ok(&["archive", "1"]);
    assert!(project.ok(&["view", "1", "--plain"]).starts_with("id=TASK-001\n"));
}

#[test]
fn control_characters_in_a_task_are_escaped() {
    let project = TaskTestProject::new();
    let body = "\n## Description\n\nred \u{1b}[31m and \u{7} bell\n";
    project
        .write("TASK-001 - X.md", &task_file("TASK-001", "\"a\\x1b[2Jb\"", "status: todo\n", body));
    for arguments in [
        &["view", "1"][..],
        &["list"],
        &["list", "--plain"],
        &["view", "1", "--plain"],
        &["board"],
        &["graph"],
    ] {
        let printed = project.ok(arguments);
        assert!(!printed.contains(['\u{1b}', '\u{7}']), "{arguments:?}: {printed:?}");
        assert!(printed.contains("TASK-001"), "{arguments:?}: {printed:?}");
    }
}

#[test]
fn times_are_local_for_humans_and_utc_for_programs() {
    let project = TaskTestProject::with(&["One"]);
    let output = |arguments: &[&str]| {
        project.env.output_of(project.command(arguments).env("TZ", "XST-5:30")).success()
    };
    let shown = output(&["view", "1"]);
    assert_eq!(shown.matches(" XST (").count(), 2, "{shown}");
    assert!(!shown.contains("UTC"), "{shown}");
    let claimed = output(&["claim", "1"]);
    assert!(claimed.contains(" XST (in 2 hours)"), "{claimed}");
    let created = project.field("1", "createdAt");
    let created = created.as_str().expect("a time");
    assert!(created.ends_with('Z'), "{created}");
    for arguments in [&["view", "1", "--plain"][..], &["view", "1", "--json"]] {
        let output = output(arguments);
        assert!(output.contains(created) && !output.contains("XST"), "{output}");
    }
}
