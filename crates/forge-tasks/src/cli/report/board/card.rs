//! One task on a board.

use jiff::Timestamp;
use typeset::style::{BAD, DIM, NAME};
use typeset::table::TableCell;
use typeset::text::{shortened, visible, wrapped};

use crate::cli::report::due::is_overdue;
use crate::cli::report::style::of_priority;
use crate::document::FrontMatter;

/// A card is at most so high, however long its title is.
const MOST_TITLE_LINES: usize = 4;

/// The lines of a card, none wider than this.
pub(super) fn card(task: &FrontMatter, now: Timestamp, room: usize) -> Vec<TableCell> {
    let (head, style) = match task.priority {
        Some(priority) => (format!("{} {priority}", task.id), of_priority(priority)),
        None => (task.id.to_string(), NAME),
    };
    let mut lines = vec![TableCell::painted(shortened(&head, room), style)];
    let mut title = wrapped(&visible(&task.title), room);
    if title.len() > MOST_TITLE_LINES {
        title.truncate(MOST_TITLE_LINES);
        let last = title.pop().unwrap_or_default();
        title.push(shortened(&(last + " …"), room));
    }
    lines.extend(title.into_iter().map(TableCell::new));
    if is_overdue(task, now) {
        lines.push(TableCell::painted("overdue", BAD));
    }
    if let Some(assignee) = &task.assignee {
        lines.push(TableCell::painted(shortened(&format!("@{}", visible(assignee)), room), DIM));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::{front, full, now};

    fn texts(task: &FrontMatter, room: usize) -> Vec<String> {
        card(task, now(), room).into_iter().map(|cell| cell.text().to_owned()).collect()
    }

    #[test]
    fn a_card_has_an_id_a_title_and_who_works_on_it() {
        assert_eq!(texts(&full().front, 12), ["TASK-003 hi…", "Write the", "parser", "@builder"]);
    }

    #[test]
    fn a_card_says_that_its_task_is_late() {
        let task = FrontMatter { due_date: Some("2026-11-14".to_owned()), ..full().front };
        let expected = ["TASK-003 high", "Write the parser", "overdue", "@builder"];
        assert_eq!(texts(&task, 20), expected);
    }

    #[test]
    fn a_long_title_is_cut() {
        let task = front("TASK-001", "one two three four five six");
        assert_eq!(texts(&task, 6), ["TASK-…", "one", "two", "three", "four …"]);
    }
}
