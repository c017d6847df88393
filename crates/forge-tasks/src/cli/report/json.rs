//! Tasks as JSON: the fields of [`Task`], [`FrontMatter`](crate::document::FrontMatter) and
//! [`TaskBody`](crate::document::TaskBody). The keys and their order are a contract.

use serde::Serialize;
use typeset::text::escaped_json;

use crate::TaskStatus;
use crate::document::Task;

/// One task, spread over lines.
pub(crate) fn task(task: &Task) -> String {
    object(task)
}

/// Anything else, spread over lines.
pub(crate) fn object(value: &impl Serialize) -> String {
    escaped_json(&serde_json::to_string_pretty(value).expect(ALWAYS)).into_owned() + "\n"
}

/// An array with one task per line.
pub(crate) fn list<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> String {
    let rows: Vec<String> = tasks.into_iter().map(|task| line(task, "  ")).collect();
    array(&rows, "") + "\n"
}

/// An object with an array for each status, one task per line.
pub(crate) fn board(tasks: &[&Task]) -> String {
    let column = |status: TaskStatus| {
        let of_status = tasks.iter().filter(|task| task.front.status == status);
        let rows: Vec<String> = of_status.map(|task| line(task, "    ")).collect();
        format!("  {:?}: {}", status.name(), array(&rows, "  "))
    };
    let is_shown = |status: &TaskStatus| {
        status.is_usual() || tasks.iter().any(|task| task.front.status == *status)
    };
    let columns: Vec<String> = TaskStatus::ALL.into_iter().filter(is_shown).map(column).collect();
    format!("{{\n{}\n}}\n", columns.join(",\n"))
}

const ALWAYS: &str = "it holds only strings, numbers and lists of them";

fn line(task: &Task, indent: &str) -> String {
    format!("{indent}{}", escaped_json(&serde_json::to_string(task).expect(ALWAYS)))
}

fn array(rows: &[String], indent: &str) -> String {
    match rows {
        [] => "[]".to_owned(),
        rows => format!("[\n{}\n{indent}]", rows.join(",\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::{front, full, task as bare};

    fn parsed(text: &str) -> serde_json::Value {
        serde_json::from_str(text).expect("it is JSON")
    }

    #[test]
    fn a_task_has_every_key_in_its_order() {
        insta::assert_snapshot!(task(&full()), @r#"
        {
          "id": "TASK-003",
          "title": "Write the parser",
          "status": "In Progress",
          "priority": "high",
          "assignee": "builder",
          "labels": [
            "core",
            "parser"
          ],
          "dependencies": [
            "TASK-001",
            "TASK-002"
          ],
          "parent": "TASK-000",
          "dueDate": "2026-12-31",
          "createdAt": "2026-11-15T10:00:00.000Z",
          "updatedAt": "2026-11-15T11:30:00.000Z",
          "description": "Reads front matter.\nNever panics.",
          "implementationPlan": "1. Split\n2. Read",
          "implementationNotes": "Uses `C:\\new` paths.",
          "acceptanceCriteria": [
            {
              "index": 1,
              "text": "Reads CRLF",
              "checked": true
            },
            {
              "index": 2,
              "text": "Keeps every byte\nof unknown keys",
              "checked": false
            }
          ],
          "rawContent": "---\nid: TASK-003\n---\n"
        }
        "#);
    }

    #[test]
    fn what_is_not_set_is_null() {
        let shown = parsed(&task(&bare(front("TASK-001", "Bare"))));
        for key in ["priority", "assignee", "parent", "dueDate", "description"] {
            assert!(shown[key].is_null(), "{key}");
        }
        for key in ["implementationPlan", "implementationNotes"] {
            assert!(shown[key].is_null(), "{key}");
        }
        for key in ["labels", "dependencies", "acceptanceCriteria"] {
            assert_eq!(shown[key], serde_json::json!([]), "{key}");
        }
    }

    #[test]
    fn a_list_has_one_task_per_line() {
        let tasks = [full(), bare(front("TASK-004", "x\u{1b}\n"))];
        let shown = list(&tasks);
        assert_eq!(shown.lines().count(), 4);
        assert!(!shown.contains('\u{1b}'));
        assert_eq!(parsed(&shown)[1]["title"], "x\u{1b}\n");
        assert_eq!(list(&[]), "[]\n");
    }

    #[test]
    fn a_board_has_every_status_in_its_order() {
        let tasks = [full(), bare(front("TASK-004", "Docs"))];
        let shown = board(&tasks.iter().collect::<Vec<_>>());
        let heads: Vec<&str> = shown.lines().filter(|line| line.starts_with("  \"")).collect();
        insta::assert_snapshot!(heads.join("\n"), @r#"
        "To Do": [
        "In Progress": [
        "Blocked": [],
        "Done": []
        "#);
        assert_eq!(parsed(&shown)["In Progress"][0]["id"], "TASK-003");
        assert_eq!(
            parsed(&board(&[])),
            serde_json::json!({
                "To Do": [], "In Progress": [], "Blocked": [], "Done": []
            })
        );
    }
}
