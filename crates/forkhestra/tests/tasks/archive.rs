//! Putting tasks away.

use crate::project::Project;

#[test]
fn tasks_are_moved_to_the_archive_as_they_are() {
    let project = Project::with(&["One", "Two", "Three"]);
    let before = project.file("TASK-001");
    assert_eq!(
        project.ok(&["archive", "1", "task-3", "--plain"]),
        "archived TASK-001\narchived TASK-003\n"
    );
    assert_eq!(
        project.names(),
        [
            "TASK-002 - Two.md",
            "archive/TASK-001 - One.md",
            "archive/TASK-003 - Three.md",
            "config.json"
        ]
    );
    assert_eq!(project.file("archive/TASK-001"), before);
    let said = project.refused(&["archive", "2", "1"]);
    assert_eq!(said, "TASK-001 is archived already");
}

#[test]
fn everything_that_is_done_can_be_put_away_at_once() {
    let project = Project::with(&["One", "Two", "Three"]);
    for task in ["1", "3"] {
        project.ok(&["edit", task, "-s", "done"]);
    }
    assert_eq!(
        project.ok(&["archive", "--done", "--plain"]),
        "archived TASK-001\narchived TASK-003\n"
    );
    assert_eq!(project.ok(&["archive", "--done", "--plain"]), "");
    let said = project.refused(&["archive"]);
    assert!(said.contains("--done"), "{said}");
}
