//! A list of tasks for people.

mod column;
mod fitting;
mod summary;

use jiff::Timestamp;
use typeset::column_table::ColumnTable;
use typeset::style::DIM;
use typeset::table::{TableCell, aligned};

use self::column::ListColumn;
use self::fitting::fit;
use self::summary::summary;
use crate::database::{StoredFile, TaskDirectory};
use crate::document::FrontMatter;

/// A task of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListedTask<'a> {
    pub(crate) front: &'a FrontMatter,
    pub(crate) is_archived: bool,
}

impl<'a> ListedTask<'a> {
    /// A task as it was read.
    pub(crate) fn new<T>(task: &'a StoredFile<T>, front: &'a FrontMatter) -> Self {
        Self { front, is_archived: task.shelf == TaskDirectory::Archive }
    }
}

/// When and where a list is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListContext {
    pub(crate) now: Timestamp,
    /// The maximum width of a line; `None` for no limit.
    pub(crate) columns: Option<usize>,
}

/// A line for each task, within the width.
pub(crate) fn table(tasks: &[ListedTask<'_>], showing: ListContext) -> String {
    if tasks.is_empty() {
        return String::new();
    }
    let is_wanted = |column: &ListColumn| column.is_wanted(tasks, showing.now);
    let kinds: Vec<ListColumn> = ListColumn::ALL.into_iter().filter(is_wanted).collect();
    let mut rows: Vec<Vec<TableCell>> =
        vec![kinds.iter().map(|column| TableCell::painted(column.title(), DIM)).collect()];
    let row =
        |task: &ListedTask<'_>| kinds.iter().map(|kind| kind.cell(task, showing.now)).collect();
    rows.extend(tasks.iter().map(row));
    let mut list = ColumnTable::new(kinds, rows);
    if let Some(most) = showing.columns {
        fit(&mut list, most);
    }
    aligned(&list.into_rows())
}

/// A list with a summary at its end: the number of ready tasks.
pub(crate) fn list(tasks: &[ListedTask<'_>], ready: usize, showing: ListContext) -> String {
    format!("{}{}", table(tasks, showing), summary(tasks, ready, showing.columns))
}

#[cfg(test)]
mod tests {
    use typeset::style::{BAD, paint};
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::cli::samples::{front, full, now, words};
    use crate::{Priority, TaskStatus};

    fn tasks() -> Vec<FrontMatter> {
        let mut done = front("TASK-001", "Set up the project");
        done.status = TaskStatus::Done;
        let mut blocked = front("TASK-002", "Ask for the key of the 鍵 service, which no-one has");
        blocked.status = TaskStatus::Blocked;
        blocked.priority = Some(Priority::Medium);
        blocked.assignee = Some("ada".to_owned());
        let mut todo = front("TASK-010", "Write\u{1b}[2J docs");
        todo.priority = Some(Priority::Low);
        todo.labels = words(&["docs"]);
        vec![done, blocked, full().front, todo]
    }

    fn listed(tasks: &[FrontMatter]) -> Vec<ListedTask<'_>> {
        tasks.iter().map(|front| ListedTask { front, is_archived: false }).collect()
    }

    fn stripped(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn shown(columns: Option<usize>) -> String {
        stripped(&list(&listed(&tasks()), 1, ListContext { now: now(), columns }))
    }

    #[test]
    fn a_list_is_as_wide_as_it_must_be() {
        insta::assert_snapshot!(shown(None), @r"
        ID        STATUS         PRIORITY  TITLE                                                ASSIGNEE  LABELS
        TASK-001  ● Done         -         Set up the project
        TASK-002  ✗ Blocked      medium    Ask for the key of the 鍵 service, which no-one has  ada
        TASK-003  ◐ In Progress  high      Write the parser                                     builder   core, parser
        TASK-010  ○ To Do        low       Write\u{1b}[2J docs                                            docs
        4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done
        ");
        assert_eq!(shown(Some(200)), shown(None));
    }

    #[test]
    fn titles_and_labels_give_way_to_the_width_of_a_terminal() {
        insta::assert_snapshot!(shown(Some(100)), @r"
        ID        STATUS         PRIORITY  TITLE                                      ASSIGNEE  LABELS
        TASK-001  ● Done         -         Set up the project
        TASK-002  ✗ Blocked      medium    Ask for the key of the 鍵 service, which…  ada
        TASK-003  ◐ In Progress  high      Write the parser                           builder   core, parser
        TASK-010  ○ To Do        low       Write\u{1b}[2J docs                                  docs
        4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done
        ");
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
    fn a_narrow_terminal_has_signs_before_anything_is_left_out() {
        insta::assert_snapshot!(shown(Some(60)), @r"
        ID        S  P  TITLE                     ASSIGNEE  LABELS
        TASK-001  ●  -  Set up the project
        TASK-002  ✗  m  Ask for the key of the …  ada
        TASK-003  ◐  h  Write the parser          builder   core, p…
        TASK-010  ○  l  Write\u{1b}[2J docs                 docs
        4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done
        ");
        insta::assert_snapshot!(shown(Some(40)), @r"
        ID        S  P  TITLE
        TASK-001  ●  -  Set up the project
        TASK-002  ✗  m  Ask for the key of the …
        TASK-003  ◐  h  Write the parser
        TASK-010  ○  l  Write\u{1b}[2J docs
        4 tasks: ○ 1 (1 ready) ◐ 1 ✗ 1 ● 1
        ");
        insta::assert_snapshot!(shown(Some(24)), @r"
        ID        S  P  TITLE
        TASK-001  ●  -  Set up …
        TASK-002  ✗  m  Ask for…
        TASK-003  ◐  h  Write t…
        TASK-010  ○  l  Write\u…
        4 tasks: ○ 1 ◐ 1 ✗ 1 ● 1
        ");
        insta::assert_snapshot!(shown(Some(20)), @r"
        ID        TITLE
        TASK-001  Set up th…
        TASK-002  Ask for t…
        TASK-003  Write the…
        TASK-010  Write\u{1…
        4 tasks
        ");
    }

    #[test]
    fn a_long_title_leaves_room_for_the_rest() {
        let mut tasks = tasks();
        tasks[0].title = "Set up everything that this project will ever need ".repeat(4);
        tasks[3].labels = words(&["documentation", "good first issue"]);
        let showing = ListContext { now: now(), columns: Some(120) };
        insta::assert_snapshot!(stripped(&table(&listed(&tasks), showing)), @r"
        ID        STATUS         PRIORITY  TITLE                                             ASSIGNEE  LABELS
        TASK-001  ● Done         -         Set up everything that this project will ever n…
        TASK-002  ✗ Blocked      medium    Ask for the key of the 鍵 service, which no-one…  ada
        TASK-003  ◐ In Progress  high      Write the parser                                  builder   core, parser
        TASK-010  ○ To Do        low       Write\u{1b}[2J docs                                         documentation, good firs…
        ");
    }

    #[test]
    fn what_is_late_or_archived_is_marked() {
        let mut tasks = tasks();
        for task in &mut tasks {
            task.due_date = Some("2026-11-01".to_owned());
        }
        let mut listed = listed(&tasks);
        listed[3].is_archived = true;
        let wide = table(&listed, ListContext { now: now(), columns: Some(100) });
        let narrow = table(&listed, ListContext { now: now(), columns: Some(40) });
        assert!(wide.contains(&paint(BAD, "overdue")) && wide.contains(&paint(DIM, "archived")));
        insta::assert_snapshot!(stripped(&format!("{wide}{narrow}")), @r"
        ID        STATUS         PRIORITY  NOTE      TITLE                                ASSIGNEE  LABELS
        TASK-001  ● Done         -                   Set up the project
        TASK-002  ✗ Blocked      medium    overdue   Ask for the key of the 鍵 service,…  ada
        TASK-003  ◐ In Progress  high      overdue   Write the parser                     builder   core, p…
        TASK-010  ○ To Do        low       archived  Write\u{1b}[2J docs                            docs
        ID        S  P  N  TITLE
        TASK-001  ●  -     Set up the project
        TASK-002  ✗  m  !  Ask for the key of t…
        TASK-003  ◐  h  !  Write the parser
        TASK-010  ○  l  a  Write\u{1b}[2J docs
        ");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for most in 18..140 {
            let text = shown(Some(most));
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= most), "{most}:\n{text}");
        }
    }

    #[test]
    fn columns_with_nothing_in_them_are_left_out() {
        let bare = front("TASK-001", "Bare");
        let text = table(&listed(&[bare]), ListContext { now: now(), columns: None });
        insta::assert_snapshot!(stripped(&text), @"
        ID        STATUS   PRIORITY  TITLE
        TASK-001  ○ To Do  -         Bare
        ");
    }

    #[test]
    fn states_and_priorities_have_colours() {
        let text = table(&listed(&[full().front]), ListContext { now: now(), columns: None });
        insta::assert_snapshot!(text.replace('\u{1b}', "␛"), @"
        ␛[2mID␛[0m        ␛[2mSTATUS␛[0m         ␛[2mPRIORITY␛[0m  ␛[2mTITLE␛[0m             ␛[2mASSIGNEE␛[0m  ␛[2mLABELS␛[0m
        ␛[1mTASK-003␛[0m  ␛[36m◐ In Progress␛[0m  ␛[1m␛[31mhigh␛[0m      Write the parser  builder   ␛[2mcore, parser␛[0m
        ");
    }
}
