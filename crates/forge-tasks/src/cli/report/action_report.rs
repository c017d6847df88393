//! Reports of actions, in a line or two.

use std::collections::BTreeMap;

use typeset::style::{DIM, NAME, paint};
use typeset::text::visible;

use super::{json, plain};
use crate::cli::args::TasksOutputFormat;
use crate::database::TaskDirectory;
use crate::document::Task;
use crate::{IdPrefix, TaskId};

/// A task was created in a file.
pub(crate) fn created(task: &Task, file: &str, format: TasksOutputFormat) -> String {
    match format {
        TasksOutputFormat::Human => {
            acted("Created", task, format) + &paint(DIM, &visible(file)) + "\n"
        }
        TasksOutputFormat::Plain => format!("{}\n", task.front.id),
        TasksOutputFormat::Json => json::task(task),
    }
}

/// These fields of a task were changed, or none.
pub(crate) fn edited(task: &Task, changed: &[String], format: TasksOutputFormat) -> String {
    let (id, keys) = (&task.front.id, changed.join(", "));
    match format {
        _ if changed.is_empty() => acted("Unchanged", task, format),
        TasksOutputFormat::Human => format!("Updated {}: {keys}\n", paint(NAME, id.as_str())),
        TasksOutputFormat::Plain => format!("updated {id}: {keys}\n"),
        TasksOutputFormat::Json => json::task(task),
    }
}

/// A task was deleted.
pub(crate) fn deleted(task: &Task, format: TasksOutputFormat) -> String {
    match format {
        TasksOutputFormat::Json => {
            json::object(&BTreeMap::from([("deleted", task.front.id.as_str())]))
        }
        _ => acted("Deleted", task, format),
    }
}

/// An action on a task: `Released TASK-001: Write the parser`, or `released TASK-001`.
pub(crate) fn acted(action: &str, task: &Task, format: TasksOutputFormat) -> String {
    match format {
        TasksOutputFormat::Human => named(action, &task.front.id, &task.front.title),
        TasksOutputFormat::Plain => format!("{} {}\n", action.to_lowercase(), task.front.id),
        TasksOutputFormat::Json => json::task(task),
    }
}

/// Tasks with these titles were moved to the archive, or out of it. Programs need no titles.
pub(crate) fn relocated(
    ids: &[TaskId],
    titles: &[String],
    to: TaskDirectory,
    format: TasksOutputFormat,
) -> String {
    let is_archived = to == TaskDirectory::Archive;
    let (title, word) =
        if is_archived { ("Archived", "archived") } else { ("Unarchived", "unarchived") };
    match format {
        TasksOutputFormat::Human if ids.is_empty() => "Nothing to archive\n".to_owned(),
        TasksOutputFormat::Human => {
            let lines = ids.iter().zip(titles).map(|(id, name)| named(title, id, name));
            lines.collect()
        }
        TasksOutputFormat::Plain => ids.iter().map(|id| format!("{word} {id}\n")).collect(),
        TasksOutputFormat::Json => {
            let ids: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
            json::object(&BTreeMap::from([(word, ids)]))
        }
    }
}

/// A database was created.
pub(crate) fn begun(path: &str, prefix: &IdPrefix, format: TasksOutputFormat) -> String {
    match format {
        TasksOutputFormat::Human => {
            format!("Tasks are kept in {}, as {prefix}-…\n", paint(NAME, &visible(path)))
        }
        TasksOutputFormat::Plain => plain::row(&[path]),
        TasksOutputFormat::Json => {
            json::object(&BTreeMap::from([("path", path), ("prefix", prefix.as_str())]))
        }
    }
}

fn named(action: &str, id: &TaskId, title: &str) -> String {
    format!("{action} {}: {}\n", paint(NAME, id.as_str()), visible(title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::{full, id};

    /// The texts of both formats, for people and for programs that read lines.
    fn both(say: impl Fn(TasksOutputFormat) -> String) -> String {
        let text = say(TasksOutputFormat::Human) + "---\n" + &say(TasksOutputFormat::Plain);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_new_task_is_named_with_its_file() {
        let file = "forge/tasks/TASK-003 - Write the parser.md";
        insta::assert_snapshot!(both(|format| created(&full(), file, format)), @"
        Created TASK-003: Write the parser
        forge/tasks/TASK-003 - Write the parser.md
        ---
        TASK-003
        ");
    }

    #[test]
    fn a_change_names_what_changed() {
        let changed = ["status", "labels"].map(str::to_owned);
        insta::assert_snapshot!(both(|format| edited(&full(), &changed, format)), @"
        Updated TASK-003: status, labels
        ---
        updated TASK-003: status, labels
        ");
        insta::assert_snapshot!(both(|format| edited(&full(), &[], format)), @"
        Unchanged TASK-003: Write the parser
        ---
        unchanged TASK-003
        ");
    }

    #[test]
    fn other_actions_name_the_task() {
        insta::assert_snapshot!(both(|format| acted("Released", &full(), format)), @"
        Released TASK-003: Write the parser
        ---
        released TASK-003
        ");
        insta::assert_snapshot!(both(|format| deleted(&full(), format)), @"
        Deleted TASK-003: Write the parser
        ---
        deleted TASK-003
        ");
        let ids = [id("TASK-001"), id("TASK-002")];
        let titles = ["One", "Two\u{7}"].map(str::to_owned);
        insta::assert_snapshot!(both(|format| relocated(&ids, &titles, TaskDirectory::Archive, format)), @r"
        Archived TASK-001: One
        Archived TASK-002: Two\u{7}
        ---
        archived TASK-001
        archived TASK-002
        ");
        assert_eq!(
            both(|format| relocated(&[], &[], TaskDirectory::Archive, format)),
            "Nothing to archive\n---\n"
        );
        insta::assert_snapshot!(both(|format| begun("forge/tasks", &IdPrefix::default(), format)), @"
        Tasks are kept in forge/tasks, as TASK-…
        ---
        forge/tasks
        ");
    }

    #[test]
    fn json_is_the_task_or_a_small_object() {
        for text in [
            created(&full(), "x", TasksOutputFormat::Json),
            edited(&full(), &["status".to_owned()], TasksOutputFormat::Json),
            acted("Released", &full(), TasksOutputFormat::Json),
        ] {
            assert_eq!(text, json::task(&full()));
        }
        let small = deleted(&full(), TasksOutputFormat::Json)
            + &relocated(&[id("TASK-001")], &[], TaskDirectory::Archive, TasksOutputFormat::Json)
            + &begun("forge/tasks", &IdPrefix::default(), TasksOutputFormat::Json);
        insta::assert_snapshot!(small, @r#"
        {
          "deleted": "TASK-003"
        }
        {
          "archived": [
            "TASK-001"
          ]
        }
        {
          "path": "forge/tasks",
          "prefix": "TASK"
        }
        "#);
    }
}
