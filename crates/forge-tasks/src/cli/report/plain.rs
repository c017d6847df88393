//! Tasks for programs that read lines.

mod escape;

use std::borrow::Cow;

use escape::{PipeEscape, escaped};

use crate::document::{FrontMatter, Task};
use crate::{Priority, TaskId, TaskStatus};

/// One task a line: `ID | Status | priority or - | Title`.
pub(crate) fn list<'a>(tasks: impl IntoIterator<Item = &'a FrontMatter>) -> String {
    let mut text = String::new();
    for task in tasks {
        push_row(&mut text, &task.id, task.status, task.priority);
        text.push_str(&escaped(&task.title, PipeEscape::Escaped));
        text.push('\n');
    }
    text
}

fn push_row(text: &mut String, id: &TaskId, status: TaskStatus, priority: Option<Priority>) {
    for cell in [id.as_str(), status.name(), priority.map_or("-", Priority::name)] {
        text.push_str(cell);
        text.push_str(" | ");
    }
}

/// One fact a line: `key=value`.
pub(crate) fn view(task: &Task) -> String {
    let Task { front, body, .. } = task;
    let mut text = String::new();
    let mut push = |key: &str, value: &str| {
        text.push_str(&format!("{key}={}\n", escaped(value, PipeEscape::Kept)));
    };
    push("id", front.id.as_str());
    push("title", &front.title);
    push("status", front.status.name());
    push("priority", front.priority.map_or("", Priority::name));
    push("assignee", front.assignee.as_deref().unwrap_or_default());
    push("labels", &front.labels.join(","));
    push("dependencies", &front.dependencies.join(","));
    push("created", front.created_at.as_deref().unwrap_or_default());
    push("updated", front.updated_at.as_deref().unwrap_or_default());
    if let Some(due_date) = &front.due_date {
        push("dueDate", due_date);
    }
    push("description", body.description.as_deref().unwrap_or_default());
    if let Some(plan) = &body.plan {
        push("plan", plan);
    }
    for criterion in &body.criteria {
        let mark = if criterion.checked { 'x' } else { ' ' };
        push(&format!("ac.{}", criterion.index), &format!("[{mark}] {}", criterion.text));
    }
    if let Some(notes) = &body.notes {
        push("notes", notes);
    }
    text
}

/// Cells with bars between them.
pub(crate) fn row(cells: &[&str]) -> String {
    let cells: Vec<Cow<'_, str>> =
        cells.iter().map(|cell| escaped(cell, PipeEscape::Escaped)).collect();
    cells.join(" | ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::{front, full, task};

    #[test]
    fn a_list_has_one_line_a_task() {
        let mut odd = front("TASK-002", "a | b\nc\\new");
        odd.status = TaskStatus::Blocked;
        odd.priority = Some(Priority::Low);
        let bare = front("TASK-010", "");
        insta::assert_snapshot!(list([&full().front, &odd, &bare]), @r"
        TASK-003 | In Progress | high | Write the parser
        TASK-002 | Blocked | low | a \| b\nc\\new
        TASK-010 | To Do | - |
        ");
        assert_eq!(list([]), "");
    }

    #[test]
    fn a_view_has_one_line_a_fact() {
        insta::assert_snapshot!(view(&full()), @r"
        id=TASK-003
        title=Write the parser
        status=In Progress
        priority=high
        assignee=builder
        labels=core,parser
        dependencies=TASK-001,TASK-002
        created=2026-11-15T10:00:00.000Z
        updated=2026-11-15T11:30:00.000Z
        dueDate=2026-12-31
        description=Reads front matter.\nNever panics.
        plan=1. Split\n2. Read
        ac.1=[x] Reads CRLF
        ac.2=[ ] Keeps every byte\nof unknown keys
        notes=Uses `C:\\new` paths.
        ");
    }

    #[test]
    fn what_is_not_set_is_empty_or_left_out() {
        let mut bare = front("TASK-001", "Bare");
        (bare.created_at, bare.updated_at) = (None, None);
        insta::assert_snapshot!(view(&task(bare)), @"
        id=TASK-001
        title=Bare
        status=To Do
        priority=
        assignee=
        labels=
        dependencies=
        created=
        updated=
        description=
        ");
    }
}
