//! `list`: lists tasks, in columns that fit the width.

use jiff::Timestamp;
use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{BAD, DIM, NAME, paint};
use typeset::table::{TableCell, aligned};
use typeset::text::visible;
use unicode_width::UnicodeWidthStr;

use crate::actions::{LeaseCheck, TaskIndex, TaskReadiness, readiness};
use crate::cli::args::{ListTasksArgs, TaskFilter, TasksOutputFormat};
use crate::cli::commands::context::{FileNaming, tasks};
use crate::cli::commands::{CommandContext, CommandResult};
use crate::cli::report::style::{of_priority, of_status, symbol};
use crate::cli::report::time::is_overdue;
use crate::cli::report::{json, plain};
use crate::database::{DirectoryListing, StoredFile, TaskDirectory, TaskScope};
use crate::document::FrontMatter;
use crate::{TaskStatus, words};

/// Lists the selected tasks.
pub(crate) fn execute(args: &ListTasksArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let place = context.place();
    let Some(database) = place.database()? else {
        return context.answer_without_database(&place, &json::list([]));
    };
    let files = FileNaming { place: &place, database: &database };
    let wanted = ListSelection::new(args, context.format());
    if context.format() == TasksOutputFormat::Json {
        return whole(&wanted, &files, context);
    }
    let listing = database.fronts(wanted.scope)?;
    context.warn_about(&listing, |front| front, &files);
    let leases = context.leases();
    let index = TaskIndex::new(&listing);
    let shown = listing.tasks.iter().filter(|task| wanted.admits(task, &index, leases));
    let shown: Vec<&StoredFile<FrontMatter>> = shown.collect();
    let text = match context.format() {
        TasksOutputFormat::Plain => plain::list(shown.iter().map(|task| &task.content)),
        _ => {
            let listed: Vec<ListedTask<'_>> =
                shown.iter().map(|task| ListedTask::new(task, &task.content)).collect();
            list_with_summary(&listed, ready(&shown, &index, leases), context.showing())
        }
    };
    context.answer(&text)
}

/// Lists the selected tasks with all fields.
fn whole(
    wanted: &ListSelection,
    files: &FileNaming<'_>,
    context: &mut CommandContext<'_>,
) -> CommandResult {
    let listing = tasks(files.database.documents(wanted.scope)?);
    context.warn_about(&listing, |task| &task.front, files);
    let fronts = listing.tasks.iter().map(StoredFile::front).collect();
    let fronts = DirectoryListing { tasks: fronts, broken: Vec::new() };
    let index = TaskIndex::new(&fronts);
    let both = listing.tasks.iter().zip(&fronts.tasks);
    let shown = both.filter(|(_, front)| wanted.admits(front, &index, context.leases()));
    let text = json::list(shown.map(|(task, _)| &task.content));
    context.answer(&text)
}

/// The number of ready tasks.
fn ready(
    shown: &[&StoredFile<FrontMatter>],
    index: &TaskIndex<'_>,
    leases: LeaseCheck<'_>,
) -> usize {
    let active = shown.iter().filter(|task| task.directory == TaskDirectory::Tasks);
    active.filter(|task| readiness(&task.content, index, leases) == TaskReadiness::Ready).count()
}

/// The selection, and the directories to read.
struct ListSelection {
    filter: TaskFilter,
    readiness: Option<TaskReadiness>,
    scope: TaskScope,
}

impl ListSelection {
    fn new(args: &ListTasksArgs, format: TasksOutputFormat) -> Self {
        let readiness = match (args.ready, args.blocked) {
            (true, _) => Some(TaskReadiness::Ready),
            (false, true) => Some(TaskReadiness::Blocked),
            (false, false) => None,
        };
        // People see how many tasks are ready, and tasks may depend on archived ones.
        let filter = args.filter.clone();
        let needs_all =
            !filter.is_active_only() || readiness.is_some() || format == TasksOutputFormat::Human;
        let scope = if needs_all { TaskScope::All } else { TaskScope::Active };
        Self { filter, readiness, scope }
    }

    /// Whether a task is selected.
    fn admits(
        &self,
        task: &StoredFile<FrontMatter>,
        index: &TaskIndex<'_>,
        leases: LeaseCheck<'_>,
    ) -> bool {
        let is_as_ready = |wanted| readiness(&task.content, index, leases) == wanted;
        self.filter.admits(task.directory, &task.content) && self.readiness.is_none_or(is_as_ready)
    }
}

/// A task of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListedTask<'a> {
    pub(crate) front: &'a FrontMatter,
    pub(crate) is_archived: bool,
}

impl<'a> ListedTask<'a> {
    /// A task as it was read.
    pub(crate) fn new<T>(task: &'a StoredFile<T>, front: &'a FrontMatter) -> Self {
        Self { front, is_archived: task.directory == TaskDirectory::Archive }
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
    if let Some(width) = showing.columns {
        fit(&mut list, width);
    }
    aligned(&list.into_rows())
}

/// A list with a summary at its end: the number of ready tasks.
pub(crate) fn list_with_summary(
    tasks: &[ListedTask<'_>],
    ready: usize,
    showing: ListContext,
) -> String {
    format!("{}{}", table(tasks, showing), summary(tasks, ready, showing.columns))
}

/// A column of a list of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListColumn {
    Id,
    Status,
    Priority,
    /// Whether it is late, or archived.
    Note,
    Title,
    Assignee,
    Labels,
}

/// The note on an overdue task.
pub(crate) const OVERDUE: &str = "overdue";
/// The note on an archived task.
pub(crate) const ARCHIVED: &str = "archived";

impl ListColumn {
    pub(crate) const ALL: [Self; 7] = [
        Self::Id,
        Self::Status,
        Self::Priority,
        Self::Note,
        Self::Title,
        Self::Assignee,
        Self::Labels,
    ];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Id => "ID",
            Self::Status => "STATUS",
            Self::Priority => "PRIORITY",
            Self::Note => "NOTE",
            Self::Title => "TITLE",
            Self::Assignee => "ASSIGNEE",
            Self::Labels => "LABELS",
        }
    }

    pub(crate) fn cell(self, task: &ListedTask<'_>, now: Timestamp) -> TableCell {
        let front = task.front;
        match self {
            Self::Id => TableCell::painted(front.id.as_str(), NAME),
            Self::Status => TableCell::painted(
                format!("{} {}", symbol(front.status), front.status),
                of_status(front.status),
            ),
            Self::Priority => match front.priority {
                Some(priority) => TableCell::painted(priority.name(), of_priority(priority)),
                None => TableCell::painted("-", DIM),
            },
            Self::Note if task.is_archived => TableCell::painted(ARCHIVED, DIM),
            Self::Note if is_overdue(front, now) => TableCell::painted(OVERDUE, BAD),
            Self::Note => TableCell::new(""),
            Self::Title => TableCell::new(visible(&front.title)),
            Self::Assignee => {
                TableCell::new(visible(front.assignee.as_deref().unwrap_or_default()))
            }
            Self::Labels => TableCell::painted(visible(&front.labels.join(", ")), DIM),
        }
    }

    /// Whether there is something to show for any task.
    pub(crate) fn is_wanted(self, tasks: &[ListedTask<'_>], now: Timestamp) -> bool {
        match self {
            Self::Note => tasks.iter().any(|task| task.is_archived || is_overdue(task.front, now)),
            Self::Assignee => tasks.iter().any(|task| task.front.assignee.is_some()),
            Self::Labels => tasks.iter().any(|task| !task.front.labels.is_empty()),
            Self::Id | Self::Status | Self::Priority | Self::Title => true,
        }
    }
}

/// A title is not cut to less than this before anything is left out.
const MIN_TITLE_WIDTH: usize = 24;
/// The columns that shrink while titles stay readable.
const SHRINK_RULE: ShrinkRule<'_, ListColumn> = ShrinkRule {
    cut: &[
        (ListColumn::Labels, 8),
        (ListColumn::Assignee, 8),
        (ListColumn::Title, MIN_TITLE_WIDTH),
    ],
    left_out: &[ListColumn::Labels, ListColumn::Assignee],
};
/// The columns that shrink on very narrow terminals.
const NARROW_SHRINK_RULE: ShrinkRule<'_, ListColumn> = ShrinkRule {
    cut: &[(ListColumn::Title, 8)],
    left_out: &[ListColumn::Note, ListColumn::Priority, ListColumn::Status],
};

/// Makes a list no wider than this, if that can be done.
pub(crate) fn fit(list: &mut ColumnTable<ListColumn>, width: usize) {
    // One long title must not displace the columns after it.
    list.cut(ListColumn::Title, MIN_TITLE_WIDTH.max(width * 2 / 5), width);
    for column in [ListColumn::Note, ListColumn::Priority, ListColumn::Status] {
        if list.min_width(&SHRINK_RULE) > width {
            list.change(column, |text| brief(column, text));
        }
    }
    list.fit(width, &SHRINK_RULE);
    list.fit(width, &NARROW_SHRINK_RULE);
}

/// A cell of such a column, or its title, in one sign.
fn brief(column: ListColumn, text: &str) -> String {
    match (column, text) {
        (ListColumn::Note, OVERDUE) => "!".to_owned(),
        (ListColumn::Note, ARCHIVED) => "a".to_owned(),
        _ => text.chars().take(1).collect(),
    }
}

/// `12 tasks: 3 to do (2 ready), 1 in progress, 8 done`, or as much of it as fits.
pub(crate) fn summary(tasks: &[ListedTask<'_>], ready: usize, columns: Option<usize>) -> String {
    let in_words = [in_words(tasks, Some(ready)), signs(tasks, Some(ready)), signs(tasks, None)];
    let total = words::count(tasks.len(), "task");
    let with_total = |parts: String| match parts.as_str() {
        "" => total.clone(),
        parts => format!("{total}: {parts}"),
    };
    let mut lines = in_words.into_iter().map(with_total);
    let fitting = lines.find(|line| columns.is_none_or(|width| line.width() <= width));
    paint(DIM, &fitting.unwrap_or(total)) + "\n"
}

/// In words: `3 to do (2 ready), 1 in progress`.
fn in_words(tasks: &[ListedTask<'_>], ready: Option<usize>) -> String {
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
    use typeset::style::BAD;
    use typeset::style::paint;
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::Priority;
    use crate::TaskStatus;
    use crate::cli::samples::front;
    use crate::cli::samples::full;
    use crate::cli::samples::now;
    use crate::cli::samples::words;

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
        stripped(&list_with_summary(&listed(&tasks()), 1, ListContext { now: now(), columns }))
    }

    #[test]
    fn without_a_narrow_terminal_nothing_is_cut() {
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
    fn titles_and_labels_are_cut_to_the_width_of_a_terminal() {
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
    fn a_narrow_terminal_shortens_states_and_then_drops_columns() {
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
        for width in 18..140 {
            let text = shown(Some(width));
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= width), "{width}:\n{text}");
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

#[cfg(test)]
mod summary_tests {
    use super::*;
    use crate::cli::samples::front;
    use crate::document::FrontMatter;

    fn in_words(states: &[TaskStatus], ready: usize, columns: Option<usize>) -> String {
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
            assert_eq!(in_words(states, ready, None), expected);
        }
    }

    #[test]
    fn the_summary_is_shortened_to_the_width() {
        use TaskStatus::{Blocked, Done, InProgress, ToDo};
        let states = [Done, Blocked, InProgress, ToDo];
        for (columns, expected) in [
            (60, "4 tasks: 1 to do (1 ready), 1 in progress, 1 blocked, 1 done\n"),
            (59, "4 tasks: ○ 1 (1 ready) ◐ 1 ✗ 1 ● 1\n"),
            (34, "4 tasks: ○ 1 (1 ready) ◐ 1 ✗ 1 ● 1\n"),
            (33, "4 tasks: ○ 1 ◐ 1 ✗ 1 ● 1\n"),
            (23, "4 tasks\n"),
        ] {
            assert_eq!(in_words(&states, 1, Some(columns)), expected, "{columns}");
        }
    }
}
