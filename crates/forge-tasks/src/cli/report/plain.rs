//! Tasks for programs that read lines.

use std::borrow::Cow;

use crate::document::{FrontMatter, Task};
use crate::{Priority, TaskId, TaskStatus};

/// One task per line: `ID | Status | priority or - | Title`.
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

/// How a `|` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PipeEscape {
    /// It separates cells, so in a cell it is escaped.
    Escaped,
    /// It means nothing.
    Kept,
}

/// A value on one line, without control characters.
///
/// `\n` and `\r` have their usual meaning, `\u{1b}` is a control character by its number, `\|` is a
/// bar and `\\` a backslash. A backslash that cannot be misread is not escaped.
pub(crate) fn escaped(value: &str, bar: PipeEscape) -> Cow<'_, str> {
    let is_special = |c: char| c == '\\' || c == '|' || is_escaped_control(c);
    if !value.contains(is_special) {
        return value.into();
    }
    let mut text = String::with_capacity(value.len() + 8);
    let mut characters = value.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '|' if bar == PipeEscape::Escaped => text.push_str("\\|"),
            '\\' if characters.peek().is_some_and(|next| needs_escaped_backslash(*next)) => {
                text.push_str("\\\\");
            }
            control if is_escaped_control(control) => text.extend(control.escape_unicode()),
            other => text.push(other),
        }
    }
    text.into()
}

/// Whether a backslash before this character, or before its escape, would be misread.
fn needs_escaped_backslash(next: char) -> bool {
    matches!(next, '\\' | 'n' | 'r' | 'u' | '|') || is_escaped_control(next)
}

/// Tabs do no harm.
fn is_escaped_control(character: char) -> bool {
    character.is_control() && character != '\t'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::front;
    use crate::cli::samples::full;
    use crate::cli::samples::task;

    #[test]
    fn a_list_has_one_line_per_task() {
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
    fn a_view_has_one_line_per_field() {
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

#[cfg(test)]
mod escape_tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a value back, as documented.
    fn unescaped(text: &str) -> String {
        let mut value = String::new();
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let escapes = [("\\n", "\n"), ("\\r", "\r"), ("\\|", "|"), ("\\\\", "\\")].into_iter();
            let mut found =
                escapes.filter_map(|(escape, meant)| Some((rest.strip_prefix(escape)?, meant)));
            if let Some((behind, meant)) = found.next() {
                value.push_str(meant);
                rest = behind;
            } else if let Some((number, behind)) =
                rest.strip_prefix("\\u{").and_then(|behind| behind.split_once('}'))
            {
                let number = u32::from_str_radix(number, 16).expect("it is hexadecimal");
                value.push(char::from_u32(number).expect("it is a character"));
                rest = behind;
            } else {
                value.push(character);
                rest = &rest[character.len_utf8()..];
            }
        }
        value
    }

    #[test]
    fn only_what_could_be_misread_is_escaped() {
        for (value, expected) in [
            ("plain", "plain"),
            ("a\nb\r\nc", r"a\nb\r\nc"),
            (r"C:\temp\x", r"C:\temp\x"),
            (r"C:\new", r"C:\\new"),
            ("end\\", "end\\"),
            ("a\\\nb", r"a\\\nb"),
            ("tab\tstays", "tab\tstays"),
            ("\u{1b}[2J\u{9b}", r"\u{1b}[2J\u{9b}"),
        ] {
            assert_eq!(escaped(value, PipeEscape::Kept), expected);
        }
        assert_eq!(escaped("a|b", PipeEscape::Kept), "a|b");
        assert_eq!(escaped("a|b", PipeEscape::Escaped), r"a\|b");
    }

    proptest! {
        #[test]
        fn every_value_can_be_read_back(value in "[\\\\nru{}|1b\n\r\u{1b} é]{0,24}") {
            for bar in [PipeEscape::Escaped, PipeEscape::Kept] {
                let text = escaped(&value, bar);
                prop_assert!(!text.contains(is_escaped_control), "{:?}", text);
                prop_assert_eq!(unescaped(&text), value.clone(), "{:?}", text);
            }
        }
    }
}
