//! A list of tasks for a person.

mod fitting;
mod summary;

use typeset::columns::Columns;
use typeset::style::{DIM, NAME};
use typeset::table::{Cell, aligned};
use typeset::text::visible;

use self::fitting::fit;
use super::style::{of_priority, of_status, symbol};
use crate::document::Front;

pub(crate) use self::summary::summary;

/// What a list says of each task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Id,
    Status,
    Priority,
    Title,
    Assignee,
    Labels,
}

impl Column {
    const ALL: [Self; 6] =
        [Self::Id, Self::Status, Self::Priority, Self::Title, Self::Assignee, Self::Labels];

    const fn title(self) -> &'static str {
        match self {
            Self::Id => "ID",
            Self::Status => "STATUS",
            Self::Priority => "PRIORITY",
            Self::Title => "TITLE",
            Self::Assignee => "ASSIGNEE",
            Self::Labels => "LABELS",
        }
    }

    fn cell(self, task: &Front) -> Cell {
        match self {
            Self::Id => Cell::painted(task.id.as_str(), NAME),
            Self::Status => Cell::painted(
                format!("{} {}", symbol(task.status), task.status),
                of_status(task.status),
            ),
            Self::Priority => match task.priority {
                Some(priority) => Cell::painted(priority.name(), of_priority(priority)),
                None => Cell::painted("-", DIM),
            },
            Self::Title => Cell::new(visible(&task.title)),
            Self::Assignee => Cell::new(visible(task.assignee.as_deref().unwrap_or_default())),
            Self::Labels => Cell::painted(visible(&task.labels.join(", ")), DIM),
        }
    }

    /// Whether there is something to show for any task.
    fn is_wanted(self, tasks: &[&Front]) -> bool {
        match self {
            Self::Assignee => tasks.iter().any(|task| task.assignee.is_some()),
            Self::Labels => tasks.iter().any(|task| !task.labels.is_empty()),
            Self::Id | Self::Status | Self::Priority | Self::Title => true,
        }
    }
}

/// A line for each task, no wider than this if a width is given.
pub(crate) fn table(tasks: &[&Front], columns: Option<usize>) -> String {
    if tasks.is_empty() {
        return String::new();
    }
    let kinds: Vec<Column> =
        Column::ALL.into_iter().filter(|column| column.is_wanted(tasks)).collect();
    let mut rows: Vec<Vec<Cell>> =
        vec![kinds.iter().map(|column| Cell::painted(column.title(), DIM)).collect()];
    rows.extend(tasks.iter().map(|task| kinds.iter().map(|kind| kind.cell(task)).collect()));
    let mut list = Columns::new(kinds, rows);
    if let Some(most) = columns {
        fit(&mut list, most);
    }
    aligned(&list.into_rows())
}

/// A list with a summary at its end, which says how many of the tasks are ready.
pub(crate) fn list(tasks: &[&Front], ready: usize, columns: Option<usize>) -> String {
    format!("{}{}", table(tasks, columns), summary(tasks, ready))
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::cli::samples::{front, full, words};
    use crate::{Priority, Status};

    fn tasks() -> Vec<Front> {
        let mut done = front("TASK-001", "Set up the project");
        done.status = Status::Done;
        let mut blocked = front("TASK-002", "Ask for the key of the 鍵 service, which nobody has");
        blocked.status = Status::Blocked;
        blocked.priority = Some(Priority::Medium);
        blocked.assignee = Some("ada".to_owned());
        let mut todo = front("TASK-010", "Write\u{1b}[2J docs");
        todo.priority = Some(Priority::Low);
        todo.labels = words(&["docs"]);
        vec![done, blocked, full().front, todo]
    }

    fn shown(columns: Option<usize>) -> String {
        let tasks = tasks();
        let tasks: Vec<&Front> = tasks.iter().collect();
        let text = list(&tasks, 1, columns);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_list_is_as_wide_as_it_must_be() {
        insta::assert_snapshot!(shown(None), @r"
        ID        STATUS         PRIORITY  TITLE                                                ASSIGNEE  LABELS
        TASK-001  ● Done         -         Set up the project
        TASK-002  ✗ Blocked      medium    Ask for the key of the 鍵 service, which nobody has  ada
        TASK-003  ◐ In Progress  high      Write the parser                                     builder   core, parser
        TASK-010  ○ To Do        low       Write\u{1b}[2J docs                                            docs
        4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done
        ");
        assert_eq!(shown(Some(200)), shown(None));
    }

    #[test]
    fn titles_and_labels_give_way_to_the_width_of_a_terminal() {
        insta::assert_snapshot!(shown(Some(80)), @r"
        ID        STATUS         PRIORITY  TITLE                     ASSIGNEE  LABELS
        TASK-001  ● Done         -         Set up the project
        TASK-002  ✗ Blocked      medium    Ask for the key of the …  ada
        TASK-003  ◐ In Progress  high      Write the parser          builder   core, p…
        TASK-010  ○ To Do        low       Write\u{1b}[2J docs                 docs
        4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done
        ");
    }

    #[test]
    fn a_narrow_terminal_shows_what_is_needed_most() {
        insta::assert_snapshot!(shown(Some(50)), @r"
        ID        STATUS         TITLE
        TASK-001  ● Done         Set up the project
        TASK-002  ✗ Blocked      Ask for the key of the …
        TASK-003  ◐ In Progress  Write the parser
        TASK-010  ○ To Do        Write\u{1b}[2J docs
        4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done
        ");
        insta::assert_snapshot!(shown(Some(30)), @r"
        ID        TITLE
        TASK-001  Set up the project
        TASK-002  Ask for the key of …
        TASK-003  Write the parser
        TASK-010  Write\u{1b}[2J docs
        4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done
        ");
    }

    #[test]
    fn no_row_is_wider_than_the_terminal() {
        for most in 28..140 {
            let text = shown(Some(most));
            let rows = text.lines().take(tasks().len() + 1);
            let widest = rows.map(UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= most), "{most}:\n{text}");
        }
    }

    #[test]
    fn columns_with_nothing_in_them_are_left_out() {
        let bare = front("TASK-001", "Bare");
        let text = table(&[&bare], None);
        insta::assert_snapshot!(anstream::adapter::strip_str(&text), @"
        ID        STATUS   PRIORITY  TITLE
        TASK-001  ○ To Do  -         Bare
        ");
    }

    #[test]
    fn states_and_priorities_have_colours() {
        let text = table(&[&full().front], None);
        insta::assert_snapshot!(text.replace('\u{1b}', "␛"), @"
        ␛[2mID␛[0m        ␛[2mSTATUS␛[0m         ␛[2mPRIORITY␛[0m  ␛[2mTITLE␛[0m             ␛[2mASSIGNEE␛[0m  ␛[2mLABELS␛[0m
        ␛[1mTASK-003␛[0m  ␛[36m◐ In Progress␛[0m  ␛[1m␛[31mhigh␛[0m      Write the parser  builder   ␛[2mcore, parser␛[0m
        ");
    }
}
