//! The output for users, at the width of the terminal.

use crate::task_test_project::{TaskTestProject, task_file};

/// The output of a command at this width.
fn shown(project: &TaskTestProject, columns: &str, arguments: &[&str]) -> String {
    let mut command = project.command(arguments);
    command.env("COLUMNS", columns);
    let printed = project.env.output_of(&mut command);
    assert_eq!(printed.code, Some(0), "{printed}");
    printed.stdout
}

fn project() -> TaskTestProject {
    let project = TaskTestProject::new();
    let front = "status: in progress\npriority: high\nassignee: ada\nlabels: [core, parser]\n\
                 dueDate: 2020-01-31\ndependencies: [TASK-009]\nparent: TASK-008\n";
    let body =
        "\n## Description\n\nA paragraph that is quite a bit longer than forty columns are.\n";
    let title = "Ask for the key of the 鍵 service, which nobody has";
    project.write("TASK-001 - Ask.md", &task_file("TASK-001", title, front, body));
    let more = "status: todo\ndependencies: [TASK-001]\nparent: TASK-001\n";
    project.write("TASK-002 - Then.md", &task_file("TASK-002", "Then", more, ""));
    let more = "status: done\n";
    project.write("archive/TASK-003 - Old.md", &task_file("TASK-003", "Old", more, ""));
    project
}

#[test]
fn a_narrow_list_keeps_status_and_priority() {
    insta::assert_snapshot!(shown(&project(), "40", &["list", "--all"]), @"
    ID        S  P  N  TITLE
    TASK-001  ◐  h  !  Ask for the key of t…
    TASK-002  ○  -     Then
    TASK-003  ●  -  a  Old
    3 tasks: 1 to do, 1 in progress, 1 done
    ");
    insta::assert_snapshot!(shown(&project(), "90", &["list", "--all"]), @"
    ID        STATUS         PRIORITY  NOTE      TITLE                     ASSIGNEE  LABELS
    TASK-001  ◐ In Progress  high      overdue   Ask for the key of the …  ada       core, p…
    TASK-002  ○ To Do        -                   Then
    TASK-003  ● Done         -         archived  Old
    3 tasks: 1 to do, 1 in progress, 1 done
    ");
    insta::assert_snapshot!(shown(&project(), "40", &["search", "old", "--all"]), @"
    ID        STATUS  PRIORITY  N  TITLE
    TASK-003  ● Done  -         a  Old
    ");
}

#[test]
fn a_view_is_broken_between_words_and_names_its_relatives() {
    let project = project();
    let late = shown(&project, "40", &["view", "1"]);
    assert!(late.lines().any(|line| line.starts_with("Due") && line.contains("overdue")), "{late}");
    let text = project.file("TASK-001");
    project.write("TASK-001 - Ask.md", &text.replace("dueDate: 2020-01-31\n", ""));
    insta::assert_snapshot!(shown(&project, "40", &["view", "1"]), @"
    TASK-001  Ask for the key of the 鍵
              service, which nobody has
    ◐ In Progress · high priority · ada

    Labels      core, parser
    Depends on  TASK-009 (does not exist)
    Needed by   TASK-002 ○
    Part of     TASK-008 (does not exist)
    Parts       TASK-002 ○
    File        forge/tasks/TASK-001 -
                Ask.md

    Description
      A paragraph that is quite a bit longer
      than forty columns are.
    ");
}

#[test]
fn a_graph_is_cut_and_marks_missing_tasks() {
    insta::assert_snapshot!(shown(&project(), "40", &["graph"]), @"
    ? TASK-009  does not exist
    └─ ◐ TASK-001  Ask for the key of the …
       └─ ○ TASK-002  Then
    ");
    let dot = shown(&project(), "40", &["graph", "--format", "dot"]);
    assert!(dot.contains("TASK-009\\n(does not exist)"), "{dot}");
}

#[test]
fn a_board_marks_overdue_tasks() {
    let text = shown(&project(), "40", &["board"]);
    assert!(text.lines().any(|line| line == "overdue"), "{text}");
}

#[test]
fn archived_tasks_are_named_with_their_titles() {
    let project = TaskTestProject::with(&["One", "Two"]);
    let printed = project.ok(&["archive", "1", "2"]);
    assert_eq!(printed, "Archived TASK-001: One\nArchived TASK-002: Two\n");
}

#[test]
fn a_new_lease_is_as_long_as_it_was_asked_for() {
    let project = TaskTestProject::with(&["One"]);
    let printed = project.ok(&["claim", "--as", "ada"]);
    let claimed = printed.lines().find(|line| line.starts_with("Claimed"));
    let claimed = claimed.unwrap_or_else(|| panic!("{printed}"));
    // The machine may be slow.
    assert!(claimed.contains("(in 2 hours)") || claimed.contains("(in 1 hour 59"), "{claimed}");
}
