//! How many tasks there are, and how far they are.

use typeset::style::{DIM, paint};
use unicode_width::UnicodeWidthStr;

use super::ListedTask;
use crate::cli::report::style::symbol;
use crate::{TaskStatus, words};

/// `12 tasks: 3 to do (2 ready), 1 in progress, 8 done`, or as much of it as fits.
pub(super) fn summary(tasks: &[ListedTask<'_>], ready: usize, columns: Option<usize>) -> String {
    let said = [said(tasks, Some(ready)), signs(tasks, Some(ready)), signs(tasks, None)];
    let total = words::count(tasks.len(), "task");
    let with_total = |parts: String| match parts.as_str() {
        "" => total.clone(),
        parts => format!("{total}: {parts}"),
    };
    let mut lines = said.into_iter().map(with_total);
    let fitting = lines.find(|line| columns.is_none_or(|most| line.width() <= most));
    paint(DIM, &fitting.unwrap_or(total)) + "\n"
}

/// In words: `3 to do (2 ready), 1 in progress`.
fn said(tasks: &[ListedTask<'_>], ready: Option<usize>) -> String {
    let parts = counts(tasks).into_iter().map(|(status, number)| {
        format!("{number} {}{}", status.name().to_lowercase(), of_those(status, ready))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// In signs: `○ 3 (2 ready) ◐ 1`.
fn signs(tasks: &[ListedTask<'_>], ready: Option<usize>) -> String {
    let parts = counts(tasks)
        .into_iter()
        .map(|(status, number)| format!("{} {number}{}", symbol(status), of_those(status, ready)));
    parts.collect::<Vec<_>>().join(" ")
}

fn of_those(status: TaskStatus, ready: Option<usize>) -> String {
    match (status, ready) {
        (TaskStatus::ToDo, Some(ready @ 1..)) => format!(" ({ready} ready)"),
        _ => String::new(),
    }
}

/// How many tasks have each status that any has.
fn counts(tasks: &[ListedTask<'_>]) -> Vec<(TaskStatus, usize)> {
    let count = |status| tasks.iter().filter(|task| task.front.status == status).count();
    let counts = TaskStatus::ALL.into_iter().map(|status| (status, count(status)));
    counts.filter(|(_, number)| *number > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::front;
    use crate::document::FrontMatter;

    fn said(states: &[TaskStatus], ready: usize, columns: Option<usize>) -> String {
        let with = |status: &TaskStatus| FrontMatter { status: *status, ..front("TASK-001", "x") };
        let fronts: Vec<FrontMatter> = states.iter().map(with).collect();
        let listed = |front| ListedTask { front, is_archived: false };
        let text = summary(&fronts.iter().map(listed).collect::<Vec<_>>(), ready, columns);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn only_states_that_occur_are_counted() {
        use TaskStatus::{Blocked, Done, InProgress, ToDo};
        for (states, ready, expected) in [
            (&[][..], 0, "0 tasks\n"),
            (&[Done], 0, "1 task: 1 done\n"),
            (&[ToDo, ToDo, ToDo], 2, "3 tasks: 3 to do (2 ready)\n"),
            (&[ToDo], 0, "1 task: 1 to do\n"),
            (
                &[Done, Blocked, InProgress, ToDo],
                0,
                "4 tasks: 1 to do, 1 in progress, 1 blocked, 1 done\n",
            ),
        ] {
            assert_eq!(said(states, ready, None), expected);
        }
    }

    #[test]
    fn a_summary_says_less_where_there_is_less_room() {
        use TaskStatus::{Blocked, Done, InProgress, ToDo};
        let states = [Done, Blocked, InProgress, ToDo];
        for (columns, expected) in [
            (60, "4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done\n"),
            (59, "4 tasks: ○ 1 (1 ready) ◐ 1 ✗ 1 ● 1\n"),
            (34, "4 tasks: ○ 1 (1 ready) ◐ 1 ✗ 1 ● 1\n"),
            (33, "4 tasks: ○ 1 ◐ 1 ✗ 1 ● 1\n"),
            (23, "4 tasks\n"),
        ] {
            assert_eq!(said(&states, 1, Some(columns)), expected, "{columns}");
        }
    }
}
