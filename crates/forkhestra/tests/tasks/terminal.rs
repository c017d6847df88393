//! `forge-tasks` at a terminal.

use std::fs::File;
use std::io::Read;

use testkit::PseudoTerminal;

use crate::task_test_project::{TASKS_DIRECTORY, TaskTestProject};

/// Runs the program at a terminal with input that is already typed. Returns the exit code and the
/// screen.
fn at_a_terminal(
    project: &TaskTestProject,
    arguments: &[&str],
    typed: &str,
) -> (Option<i32>, String) {
    let mut terminal = PseudoTerminal::open();
    terminal.type_in(typed.as_bytes());
    let mut command = project.command(arguments);
    command.env("TERM", "xterm").env("COLUMNS", "60");
    command.stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(terminal.stdio());
    let mut child = command.spawn().expect("it starts");
    drop(command);
    terminal.hand_over();
    let mut seen = Vec::new();
    let mut screen = File::from(terminal.screen());
    let mut piece = [0; 4096];
    // Reading from a terminal that no program has open is an error.
    while let Ok(length @ 1..) = screen.read(&mut piece) {
        seen.extend_from_slice(&piece[..length]);
    }
    let code = child.wait().expect("it ends").code();
    (code, String::from_utf8_lossy(&seen).replace("\r\n", "\n"))
}

#[test]
fn deleting_asks_for_confirmation() {
    let project = TaskTestProject::with(&["One", "Two"]);
    project.ok(&["edit", "2", "--add-dep", "1"]);
    for typed in ["n\n", "\n", "\u{4}"] {
        let (code, seen) = at_a_terminal(&project, &["delete", "1"], typed);
        assert_eq!(code, Some(1), "{typed:?}: {seen}");
        assert!(seen.contains("Delete TASK-001 'One' for good? [y/N]"), "{seen}");
        assert!(seen.contains("TASK-002"), "dependents are named before the question: {seen}");
        assert!(seen.ends_with("Nothing was deleted\n"), "{seen}");
        assert!(project.env.has(&format!("{TASKS_DIRECTORY}/TASK-001 - One.md")));
    }
    let (code, seen) = at_a_terminal(&project, &["delete", "1"], "y\n");
    assert_eq!(code, Some(0), "{seen}");
    assert_eq!(project.names(), ["TASK-002 - Two.md", "config.json"]);
}

#[test]
fn a_terminal_gets_colours_and_lines_that_fit() {
    let project = TaskTestProject::with(&[&"a long title ".repeat(20), "Two"]);
    project.ok(&["edit", "2", "-s", "done", "-p", "high"]);
    for arguments in [&["list"][..], &["view", "1"], &["board"], &["graph"]] {
        let (code, seen) = at_a_terminal(&project, arguments, "");
        assert_eq!(code, Some(0), "{seen}");
        assert!(seen.contains("\u{1b}["), "{arguments:?} has no colours: {seen}");
        let plain = anstream::adapter::strip_str(&seen).to_string();
        let widest = plain.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(60), "{arguments:?}: {plain}");
    }
    let (_, seen) = at_a_terminal(&project, &["list", "--color", "never"], "");
    assert!(!seen.contains('\u{1b}'), "{seen}");
}
