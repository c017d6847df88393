//! `board`: the tasks in columns, one for each status.

use jiff::Timestamp;
use typeset::style::{BAD, DIM, NAME, paint};
use typeset::table::{GAP, TableCell, aligned_to};
use typeset::text::{shortened, visible, wrapped};

use crate::TaskStatus;
use crate::cli::args::TasksOutputFormat;
use crate::cli::commands::context::{FileNaming, tasks};
use crate::cli::commands::{CommandContext, CommandResult};
use crate::cli::report::style::{of_priority, of_status, symbol};
use crate::cli::report::time::is_overdue;
use crate::cli::report::{json, plain};
use crate::database::TaskScope;
use crate::document::{FrontMatter, Task};

/// The width of a board without a terminal.
const USUAL_WIDTH: usize = 100;

/// Shows the tasks that are not archived, a column for each status.
pub(crate) fn execute(context: &mut CommandContext<'_>) -> CommandResult {
    let place = context.place();
    let Some(database) = place.database()? else {
        return context.answer_without_database(&place, &json::board(&[]));
    };
    let files = FileNaming { place: &place, database: &database };
    if context.format() == TasksOutputFormat::Json {
        let listing = tasks(database.documents(TaskScope::Active)?);
        context.warn_about(&listing, |task| &task.front, &files);
        let all: Vec<&Task> = listing.tasks.iter().map(|task| &task.content).collect();
        return context.answer(&json::board(&all));
    }
    let listing = database.fronts(TaskScope::Active)?;
    context.warn_about(&listing, |front| front, &files);
    let all: Vec<&FrontMatter> = listing.tasks.iter().map(|task| &task.content).collect();
    let text = match context.format() {
        TasksOutputFormat::Plain => plain::list(by_status(&all)),
        _ => board(&all, context.now(), context.console.features.columns.unwrap_or(USUAL_WIDTH)),
    };
    context.answer(&text)
}

/// One column after the other.
fn by_status<'a>(all: &[&'a FrontMatter]) -> impl Iterator<Item = &'a FrontMatter> {
    let column = |status| all.iter().copied().filter(move |front| front.status == status);
    TaskStatus::ALL.into_iter().flat_map(column)
}

/// Narrower columns break every word.
const NARROWEST: usize = 17;
/// Wider columns are harder to read, not easier.
const WIDEST: usize = 44;
/// How many of the tasks that are done are shown.
const MAX_DONE: usize = 10;

/// The tasks in columns that fit a width; in one column if the width is too small.
pub(crate) fn board(tasks: &[&FrontMatter], now: Timestamp, width: usize) -> String {
    let columns = TaskStatus::ALL.map(|status| BoardColumn::new(status, tasks)).into_iter();
    let columns: Vec<BoardColumn<'_>> =
        columns.filter(|column| column.status.is_usual() || column.count > 0).collect();
    let gaps = GAP.len() * (columns.len() - 1);
    let room = width.saturating_sub(gaps) / columns.len();
    if room < NARROWEST {
        return below_one_another(&columns, now, width);
    }
    let room = room.min(WIDEST);
    let filled: Vec<Vec<TableCell>> =
        columns.iter().map(|column| column.lines(now, room)).collect();
    let height = filled.iter().map(Vec::len).max().unwrap_or(0);
    let row = |index: usize| -> Vec<TableCell> {
        let cell = |lines: &Vec<TableCell>| {
            lines.get(index).cloned().unwrap_or_else(|| TableCell::new(""))
        };
        filled.iter().map(cell).collect()
    };
    let rows: Vec<Vec<TableCell>> = (0..height).map(row).collect();
    aligned_to(&rows, &vec![room; columns.len()])
}

/// The tasks of one status.
struct BoardColumn<'a> {
    status: TaskStatus,
    /// How many there are.
    count: usize,
    /// Those that are shown.
    shown: Vec<&'a FrontMatter>,
}

impl<'a> BoardColumn<'a> {
    fn new(status: TaskStatus, tasks: &[&'a FrontMatter]) -> Self {
        let all: Vec<&FrontMatter> =
            tasks.iter().copied().filter(|it| it.status == status).collect();
        let count = all.len();
        let shown = if status == TaskStatus::Done { newest(all) } else { all };
        Self { status, count, shown }
    }

    /// The column from its heading down, no line wider than this.
    fn lines(&self, now: Timestamp, room: usize) -> Vec<TableCell> {
        let mut lines = vec![self.heading(), TableCell::painted("─".repeat(room), DIM)];
        for (index, task) in self.shown.iter().enumerate() {
            if index > 0 {
                lines.push(TableCell::new(""));
            }
            lines.extend(card(task, now, room));
        }
        let more = self.count - self.shown.len();
        if more > 0 {
            lines.extend([TableCell::new(""), TableCell::painted(format!("… {more} more"), DIM)]);
        }
        lines
    }

    fn heading(&self) -> TableCell {
        let text = format!("{} {} ({})", symbol(self.status), self.status, self.count);
        TableCell::painted(text, of_status(self.status).bold())
    }
}

fn below_one_another(columns: &[BoardColumn<'_>], now: Timestamp, width: usize) -> String {
    let filled = columns.iter().filter(|column| column.count > 0);
    let parts: Vec<String> = filled
        .map(|column| {
            let lines = column.lines(now, width.max(NARROWEST));
            let rows: Vec<Vec<TableCell>> = lines.into_iter().map(|cell| vec![cell]).collect();
            aligned_to(&rows, &[width])
        })
        .collect();
    if parts.is_empty() { paint(NAME, "No tasks") + "\n" } else { parts.join("\n") }
}

/// Those that were changed last, in the order of the ids.
fn newest(mut tasks: Vec<&FrontMatter>) -> Vec<&FrontMatter> {
    let excess = tasks.len().saturating_sub(MAX_DONE);
    let changed = |task: &FrontMatter| {
        task.updated_at.as_deref().and_then(|text| text.parse::<Timestamp>().ok())
    };
    tasks.sort_by(|a, b| changed(a).cmp(&changed(b)).then_with(|| a.id.cmp(&b.id)));
    tasks.drain(..excess);
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    tasks
}

/// A card is at most so high, however long its title is.
const MAX_TITLE_LINES: usize = 4;

/// The lines of a card, none wider than this.
pub(crate) fn card(task: &FrontMatter, now: Timestamp, room: usize) -> Vec<TableCell> {
    let (head, style) = match task.priority {
        Some(priority) => (format!("{} {priority}", task.id), of_priority(priority)),
        None => (task.id.to_string(), NAME),
    };
    let mut lines = vec![TableCell::painted(shortened(&head, room), style)];
    let mut title = wrapped(&visible(&task.title), room);
    if title.len() > MAX_TITLE_LINES {
        title.truncate(MAX_TITLE_LINES);
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
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::Priority;
    use crate::cli::samples::front;
    use crate::cli::samples::full;
    use crate::cli::samples::now;

    fn tasks() -> Vec<FrontMatter> {
        let mut blocked = front("TASK-002", "Ask for the key of the 鍵 service");
        blocked.status = TaskStatus::Blocked;
        blocked.priority = Some(Priority::Medium);
        let mut todo = front("TASK-010", "Write docs\u{1b}[2J");
        todo.priority = Some(Priority::Low);
        let mut tasks = vec![blocked, full().front, front("TASK-004", "Release"), todo];
        tasks.extend((20..32).map(|number| {
            let mut done = front(&format!("TASK-{number:03}"), "Done long ago");
            done.status = TaskStatus::Done;
            // The two oldest are not those with the lowest numbers.
            let day = if number >= 30 { 1 } else { number - 18 };
            done.updated_at = Some(format!("2026-11-{day:02}T12:00:00.000Z"));
            done
        }));
        tasks
    }

    fn shown(tasks: &[FrontMatter], width: usize) -> String {
        let text = board(&tasks.iter().collect::<Vec<_>>(), now(), width);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_board_has_a_column_for_each_status() {
        insta::assert_snapshot!(shown(&tasks()[..5], 100), @r"
        ○ To Do (2)              ◐ In Progress (1)        ✗ Blocked (1)            ● Done (1)
        ───────────────────────  ───────────────────────  ───────────────────────  ───────────────────────
        TASK-004                 TASK-003 high            TASK-002 medium          TASK-020
        Release                  Write the parser         Ask for the key of the   Done long ago
                                 @builder                 鍵 service
        TASK-010 low
        Write docs\u{1b}[2J
        ");
    }

    #[test]
    fn only_the_newest_of_what_is_done_is_shown() {
        let shown = shown(&tasks(), 100);
        assert!(shown.contains("Done (12)") && shown.ends_with("… 2 more\n"), "{shown}");
        assert!(shown.contains("TASK-020") && !shown.contains("TASK-030"), "{shown}");
    }

    #[test]
    fn on_a_narrow_terminal_the_columns_are_stacked() {
        insta::assert_snapshot!(shown(&tasks()[..4], 40), @r"
        ○ To Do (2)
        ────────────────────────────────────────
        TASK-004
        Release

        TASK-010 low
        Write docs\u{1b}[2J

        ◐ In Progress (1)
        ────────────────────────────────────────
        TASK-003 high
        Write the parser
        @builder

        ✗ Blocked (1)
        ────────────────────────────────────────
        TASK-002 medium
        Ask for the key of the 鍵 service
        ");
    }

    #[test]
    fn an_empty_board_has_its_headings() {
        insta::assert_snapshot!(shown(&[], 90), @"
        ○ To Do (0)            ◐ In Progress (0)      ✗ Blocked (0)          ● Done (0)
        ─────────────────────  ─────────────────────  ─────────────────────  ─────────────────────
        ");
        assert_eq!(shown(&[], 20), "No tasks\n");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in 18..250 {
            let text = shown(&tasks(), width);
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= width), "{width}:\n{text}");
            assert!(!text.contains('\u{1b}'));
        }
    }
}

#[cfg(test)]
mod card_tests {
    use super::*;
    use crate::cli::samples::front;
    use crate::cli::samples::full;
    use crate::cli::samples::now;

    fn texts(task: &FrontMatter, room: usize) -> Vec<String> {
        card(task, now(), room).into_iter().map(|cell| cell.text().to_owned()).collect()
    }

    #[test]
    fn a_card_has_id_priority_title_and_assignee() {
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
