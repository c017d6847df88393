//! `view`: shows a task.

use anstyle::Style;
use jiff::Timestamp;
use typeset::style::{BAD, DIM, NAME, WARNING, paint};
use typeset::styled_line::StyledLine;
use typeset::text::{folded, hard_wrapped, visible, visible_lines};
use unicode_width::UnicodeWidthStr;

use crate::cli::args::{IdArgs, TasksOutputFormat};
use crate::cli::commands::context::FileNaming;
use crate::cli::commands::{CommandContext, CommandResult};
use crate::cli::error::TasksCliError;
use crate::cli::report::relations::{RelatedTask, TaskRelations, shortlist};
use crate::cli::report::style::{of_priority, of_status, symbol};
use crate::cli::report::time::{self, due, shown_time};
use crate::cli::report::{json, plain};
use crate::database::{StoredFile, TaskDirectory, TaskScope};
use crate::document::{Criterion, FrontMatter, Task, TaskLease};
use crate::{RunLane, TaskStatus};

/// Shows a task.
pub(crate) fn execute(args: &IdArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let place = context.place();
    let database = place.existing()?;
    let document = database.find(&args.id)?;
    let files = FileNaming { place: &place, database: &database };
    let broken = |why| TasksCliError::Wrong(format!("{} {why}", files.of(&document)));
    let task = document.with(Task::read(&document.content).map_err(broken)?);
    context.warn_about_task(&task, &files);
    let text = shown(&task, &files, context)?;
    context.answer(&text)
}

/// A task in the chosen format.
pub(crate) fn shown(
    task: &StoredFile<Task>,
    files: &FileNaming<'_>,
    context: &CommandContext<'_>,
) -> Result<String, TasksCliError> {
    Ok(match context.format() {
        TasksOutputFormat::Json => json::task(&task.content),
        TasksOutputFormat::Plain => plain::view(&task.content),
        TasksOutputFormat::Human => {
            let all = files.database.fronts(TaskScope::All)?;
            let around = ViewContext {
                file: files.of(task),
                is_archived: task.directory == TaskDirectory::Archive,
                now: context.now(),
                relations: TaskRelations::of(task, &task.content.front, &all),
                columns: context.console.features.columns,
            };
            view_text(&task.content, &around)
        }
    })
}

/// The context in which a task is shown.
#[derive(Debug)]
pub(crate) struct ViewContext {
    /// The file, as the user would name it.
    pub(crate) file: String,
    pub(crate) is_archived: bool,
    pub(crate) now: Timestamp,
    pub(crate) relations: TaskRelations,
    /// The maximum width of a line; `None` for no limit.
    pub(crate) columns: Option<usize>,
}

/// Everything about a task.
pub(crate) fn view_text(task: &Task, around: &ViewContext) -> String {
    let Task { front, body, .. } = task;
    let room = ViewWidth { columns: around.columns };
    let mut text = heading(front, around, room);
    text.push_str(&facts(front, around, room));
    text.push_str(&section("Description", body.description.as_deref(), room));
    text.push_str(&section("Implementation plan", body.plan.as_deref(), room));
    text.push_str(&criteria(&body.criteria, room));
    text.push_str(&section("Implementation notes", body.notes.as_deref(), room));
    text
}

/// How wide lines may be.
#[derive(Debug, Clone, Copy)]
struct ViewWidth {
    columns: Option<usize>,
}

impl ViewWidth {
    /// Narrower texts are harder to read than broken lines.
    const NARROWEST: usize = 8;

    /// The width that is left after an indentation.
    fn behind(self, indent: usize) -> Self {
        let left = |columns: usize| columns.saturating_sub(indent).max(Self::NARROWEST);
        Self { columns: self.columns.map(left) }
    }

    /// A line, broken if it does not fit.
    fn broken(self, line: &StyledLine) -> Vec<String> {
        match self.columns {
            Some(columns) if !line.is_empty() => line.folded(columns),
            _ => vec![line.styled()],
        }
    }
}

fn heading(front: &FrontMatter, around: &ViewContext, room: ViewWidth) -> String {
    let id = format!("{}  ", front.id);
    let indent = id.width();
    let title = room.behind(indent).broken(&StyledLine::painted(&visible(&front.title), NAME));
    let below = format!("\n{}", " ".repeat(indent));
    format!(
        "{}{}\n{}\n\n",
        paint(NAME, &id),
        title.join(&below),
        room.broken(&state(front, around)).join("\n")
    )
}

/// `◐ In Progress · high priority · builder`.
fn state(front: &FrontMatter, around: &ViewContext) -> StyledLine {
    let state = format!("{} {}", symbol(front.status), front.status);
    let mut words = vec![(state, of_status(front.status))];
    words.extend(front.priority.map(|it| (format!("{it} priority"), of_priority(it))));
    words.extend(front.assignee.as_deref().map(|name| (visible(name), Style::new())));
    words.extend(around.is_archived.then(|| ("archived".to_owned(), DIM)));
    let mut line = StyledLine::default();
    for (word, style) in words {
        line.append(if line.is_empty() { "" } else { " · " }, Style::new());
        line.append(&word, style);
    }
    line
}

fn section(title: &str, text: Option<&str>, room: ViewWidth) -> String {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return String::new() };
    let lines = prose(text, room.behind(INDENT.len()));
    let lines = lines.iter().map(|line| format!("{INDENT}{line}").trim_end().to_owned() + "\n");
    format!("\n{}\n{}", paint(NAME, title), lines.collect::<String>())
}

const INDENT: &str = "  ";

fn criteria(criteria: &[Criterion], room: ViewWidth) -> String {
    if criteria.is_empty() {
        return String::new();
    }
    let checked = criteria.iter().filter(|criterion| criterion.checked).count();
    let count = format!("({checked} of {})", criteria.len());
    let title = format!("{} {}", paint(NAME, "Acceptance criteria"), paint(DIM, &count));
    let lines = criteria.iter().map(|it| criterion(it, room)).collect::<String>();
    format!("\n{title}\n{lines}")
}

fn criterion(criterion: &Criterion, room: ViewWidth) -> String {
    let Criterion { index, checked, text } = criterion;
    let mark = if *checked { paint(of_status(TaskStatus::Done), "☑") } else { "☐".to_owned() };
    let number = format!("#{index} ");
    let indent = INDENT.len() + "☐ ".width() + number.len();
    let lines = prose(text, room.behind(indent));
    format!("{INDENT}{mark} {number}{}\n", lines.join(&format!("\n{}", " ".repeat(indent))))
}

const PLAIN: Style = Style::new();
/// The gap between a name and its value.
const GAP: usize = 2;

/// A line for each fact, or more where it does not fit.
fn facts(front: &FrontMatter, around: &ViewContext, room: ViewWidth) -> String {
    let facts = all_facts(front, around);
    let width = facts.iter().map(|(name, _)| name.width()).max().unwrap_or(0) + GAP;
    let mut text = String::new();
    for (name, fact) in facts {
        let lines = room.behind(width).broken(&fact);
        let below = format!("\n{}", " ".repeat(width));
        let gap = " ".repeat(width - name.width());
        text.push_str(&format!("{}{gap}{}\n", paint(DIM, name), lines.join(&below)));
    }
    text
}

fn all_facts(front: &FrontMatter, around: &ViewContext) -> Vec<(&'static str, StyledLine)> {
    let plain = |text: &str| StyledLine::painted(text, PLAIN);
    let mut facts = Vec::new();
    if let (Some(lease), TaskStatus::InProgress) = (&front.lease, front.status) {
        facts.push(("Claimed", plain(&claimed(front, lease, around.now))));
    }
    if let Some(RunLane { run, lane }) = &front.landing {
        facts.push(("Landing", plain(&visible(&format!("in lane {lane} of run {run}")))));
    }
    if !front.labels.is_empty() {
        facts.push(("Labels", plain(&visible(&front.labels.join(", ")))));
    }
    facts.extend(related(&around.relations));
    if let Some(due) = due(front, around.now) {
        let is_late = due.is_overdue && !around.is_archived;
        facts.push(("Due", StyledLine::painted(&due.text, if is_late { BAD } else { PLAIN })));
    }
    for (name, moment) in [("Created", &front.created_at), ("Updated", &front.updated_at)] {
        let shown_time = moment.iter().map(|moment| time::written(moment, around.now));
        facts.extend(shown_time.map(|moment| (name, plain(&moment))));
    }
    facts.push(("File", plain(&visible(&around.file))));
    facts
}

/// The relations to other tasks.
fn related(relations: &TaskRelations) -> Vec<(&'static str, StyledLine)> {
    let TaskRelations { dependencies, parent, parts, needed_by } = relations;
    let all = [
        ("Depends on", relatives(dependencies)),
        ("Needed by", relatives(needed_by)),
        ("Part of", relatives(parent.as_slice())),
        ("Parts", relatives(parts)),
    ];
    all.into_iter().filter(|(_, line)| !line.is_empty()).collect()
}

/// `TASK-001 ●, TASK-002 (does not exist)`.
fn relatives(all: &[RelatedTask]) -> StyledLine {
    let (shown, more) = shortlist(all);
    let mut line = StyledLine::default();
    for RelatedTask { name, status } in shown {
        let comma = if line.is_empty() { "" } else { ", " };
        line.append(&format!("{comma}{} ", visible(name)), PLAIN);
        match status {
            Some(status) => line.append(symbol(*status), of_status(*status)),
            None => line.append("(does not exist)", WARNING),
        }
    }
    if more > 0 {
        line.append(&format!(" and {more} more"), DIM);
    }
    line
}

/// The claimant and the lease.
fn claimed(front: &FrontMatter, lease: &TaskLease, now: Timestamp) -> String {
    let who = front.assignee.as_deref().map(|name| format!("by {}, ", visible(name)));
    let until = match lease.until {
        Some(until) if until > now => format!("until {}", shown_time(until, now)),
        Some(until) => format!("ran out {}", shown_time(until, now)),
        None => "ran out".to_owned(),
    };
    let run = lease.run.as_deref().map(|run| format!(", for run {}", visible(run)));
    format!("{}{until}{}", who.unwrap_or_default(), run.unwrap_or_default())
}

/// The lines of a text, which is Markdown. Prose is broken between words, and code anywhere.
fn prose(text: &str, room: ViewWidth) -> Vec<String> {
    let lines = visible_lines(text.trim_end());
    let Some(columns) = room.columns else { return lines };
    let mut fence: Option<ProseFence> = None;
    let mut shown = Vec::new();
    for line in lines {
        let is_code = fence.is_some();
        fence = match (fence, ProseFence::of(&line)) {
            (None, begun) => begun,
            (Some(open), Some(end)) if end.closes(open) => None,
            (open, _) => open,
        };
        shown.extend(if is_code { hard_wrapped(&line, columns) } else { folded(&line, columns) });
    }
    shown
}

/// The line before or after code.
#[derive(Debug, Clone, Copy)]
struct ProseFence {
    sign: char,
    length: usize,
    is_bare: bool,
}

impl ProseFence {
    fn of(line: &str) -> Option<Self> {
        let text = line.trim();
        let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let rest = text.trim_start_matches(sign);
        let length = text.len() - rest.len();
        (length >= 3).then_some(Self { sign, length, is_bare: rest.is_empty() })
    }

    fn closes(self, open: Self) -> bool {
        self.is_bare && self.sign == open.sign && self.length >= open.length
    }
}

#[cfg(test)]
mod tests {
    use typeset::style::BAD;

    use super::*;
    use crate::Priority;
    use crate::cli::report::relations::RelatedTask;
    use crate::cli::samples::front;
    use crate::cli::samples::full;
    use crate::cli::samples::moment;
    use crate::cli::samples::now;
    use crate::cli::samples::task;
    use crate::document::TaskLease;

    fn relative(name: &str, status: Option<TaskStatus>) -> RelatedTask {
        RelatedTask { name: name.to_owned(), status }
    }

    fn relations() -> TaskRelations {
        TaskRelations {
            dependencies: vec![
                relative("TASK-001", Some(TaskStatus::Done)),
                relative("TASK-002", None),
            ],
            parent: Some(relative("TASK-000", None)),
            parts: vec![relative("TASK-004", Some(TaskStatus::ToDo))],
            needed_by: vec![
                relative("TASK-005", Some(TaskStatus::Blocked)),
                relative("TASK-006", Some(TaskStatus::InProgress)),
            ],
        }
    }

    fn around() -> ViewContext {
        ViewContext {
            file: "forge/tasks/TASK-003 - Write the parser.md".to_owned(),
            is_archived: false,
            now: now(),
            relations: relations(),
            columns: None,
        }
    }

    fn shown(task: &Task, around: &ViewContext) -> String {
        anstream::adapter::strip_str(&view_text(task, around)).to_string()
    }

    #[test]
    fn everything_about_a_task_is_shown() {
        let mut task = full();
        let run = Some("abcd1234".to_owned());
        task.front.lease =
            Some(TaskLease { until: Some(moment("2026-11-15T13:10:00Z")), run, lane: None });
        insta::assert_snapshot!(shown(&task, &around()), @r"
        TASK-003  Write the parser
        ◐ In Progress · high priority · builder

        Claimed     by builder, until 2026-11-15 13:10 UTC (in 1 hour 10 minutes), for run abcd1234
        Labels      core, parser
        Depends on  TASK-001 ●, TASK-002 (does not exist)
        Needed by   TASK-005 ✗, TASK-006 ◐
        Part of     TASK-000 (does not exist)
        Parts       TASK-004 ○
        Due         2026-12-31 (in 46 days)
        Created     2026-11-15 10:00 UTC (2 hours ago)
        Updated     2026-11-15 11:30 UTC (30 minutes ago)
        File        forge/tasks/TASK-003 - Write the parser.md

        Description
          Reads front matter.
          Never panics.

        Implementation plan
          1. Split
          2. Read

        Acceptance criteria (1 of 2)
          ☑ #1 Reads CRLF
          ☐ #2 Keeps every byte
               of unknown keys

        Implementation notes
          Uses `C:\new` paths.
        ");
    }

    #[test]
    fn a_bare_task_is_shown_in_a_few_lines() {
        let around =
            ViewContext { is_archived: true, relations: TaskRelations::default(), ..around() };
        insta::assert_snapshot!(shown(&task(front("TASK-003", "Bare")), &around), @"
        TASK-003  Bare
        ○ To Do · archived

        Created  2026-11-15 10:00 UTC (2 hours ago)
        Updated  2026-11-15 11:30 UTC (30 minutes ago)
        File     forge/tasks/TASK-003 - Write the parser.md
        ");
    }

    #[test]
    fn no_field_can_send_control_characters_to_the_terminal() {
        let mut task = full();
        let evil = "\u{1b}[2J\u{9b}31m\u{7}".to_owned();
        let front = &mut task.front;
        front.title = evil.clone();
        (front.assignee, front.parent) = (Some(evil.clone()), Some(evil.clone()));
        (front.due_date, front.created_at) = (Some(evil.clone()), Some(evil.clone()));
        (front.labels, front.dependencies) = (vec![evil.clone()], vec![evil.clone()]);
        front.lease = Some(TaskLease { until: None, run: Some(evil.clone()), lane: None });
        let body = &mut task.body;
        (body.description, body.plan) = (Some(evil.clone()), Some(evil.clone()));
        body.notes = Some(evil.clone());
        body.criteria[0].text = evil.clone();
        // The escapes of our own colours would hide foreign ones.
        let evil_relations = TaskRelations {
            dependencies: vec![relative(&evil, None)],
            parent: Some(relative(&evil, None)),
            ..relations()
        };
        for columns in [None, Some(30)] {
            let relations = evil_relations.clone();
            let around = ViewContext { file: evil.clone(), relations, columns, ..around() };
            let ours = regexless_strip(&view_text(&task, &around));
            assert!(!ours.contains(|c: char| c.is_control() && c != '\n'), "{ours:?}");
        }
    }

    /// Removes colours and nothing else.
    fn regexless_strip(text: &str) -> String {
        let mut parts = text.split("\u{1b}[");
        let mut left = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (code, rest) = part.split_once('m').expect("every escape of ours is a colour");
            assert!(code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{part:?}");
            left.push_str(rest);
        }
        left
    }

    #[test]
    fn only_what_is_late_and_not_done_is_marked() {
        let late = |status, due: &str| {
            let mut front = front("TASK-001", "x");
            front.status = status;
            front.priority = Some(Priority::Low);
            front.due_date = Some(due.to_owned());
            let around = ViewContext { relations: TaskRelations::default(), ..around() };
            view_text(&task(front), &around).contains(&BAD.to_string())
        };
        assert!(late(TaskStatus::ToDo, "2026-11-14"));
        assert!(!late(TaskStatus::Done, "2026-11-14"));
        assert!(!late(TaskStatus::ToDo, "2026-11-15"));
    }

    #[test]
    fn a_task_fits_a_narrow_terminal() {
        let mut task = full();
        task.front.title = "Ask for the key of the 鍵 service, which no-one has".to_owned();
        task.body.description = Some(
            "A paragraph that is longer than the line.\n\n- and an item that is long too\n\n\
             ```sh\n  cargo test --workspace --all-targets\n```\n"
                .to_owned(),
        );
        task.body.criteria[0].text = "Reads CRLF and whatever else there is".to_owned();
        let around = ViewContext { columns: Some(36), ..around() };
        insta::assert_snapshot!(shown(&task, &around), @r"
        TASK-003  Ask for the key of the 鍵
                  service, which no-one has
        ◐ In Progress · high priority ·
        builder

        Labels      core, parser
        Depends on  TASK-001 ●, TASK-002
                    (does not exist)
        Needed by   TASK-005 ✗, TASK-006 ◐
        Part of     TASK-000 (does not
                    exist)
        Parts       TASK-004 ○
        Due         2026-12-31 (in 46 days)
        Created     2026-11-15 10:00 UTC (2
                    hours ago)
        Updated     2026-11-15 11:30 UTC (30
                    minutes ago)
        File        forge/tasks/TASK-003 -
                    Write the parser.md

        Description
          A paragraph that is longer than
          the line.

          - and an item that is long too

          ```sh
            cargo test --workspace --all-tar
            gets
          ```

        Implementation plan
          1. Split
          2. Read

        Acceptance criteria (1 of 2)
          ☑ #1 Reads CRLF and whatever else
               there is
          ☐ #2 Keeps every byte
               of unknown keys

        Implementation notes
          Uses `C:\new` paths.
        ");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let mut task = full();
        task.front.title = "incomprehensibilities of 日本語の鍵".repeat(3);
        task.front.labels = vec!["a label".to_owned(), "x".repeat(70)];
        task.body.notes = Some(format!("    {}\n```\n{}\n```", "deep ".repeat(40), "x".repeat(99)));
        for columns in 28..140 {
            let text = shown(&task, &ViewContext { columns: Some(columns), ..around() });
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= columns), "{columns}:\n{text}");
        }
    }
}

#[cfg(test)]
mod facts_tests {
    use super::*;
    use crate::cli::samples::front;
    use crate::cli::samples::moment;
    use crate::cli::samples::now;

    #[test]
    fn an_expired_lease_is_marked() {
        let claimed = |lease| claimed(&front("TASK-001", "x"), &lease, now());
        let until = Some(moment("2026-11-15T11:00:00Z"));
        let gone = claimed(TaskLease { until, run: None, lane: None });
        assert_eq!(gone, "ran out 2026-11-15 11:00 UTC (1 hour ago)");
        assert_eq!(claimed(TaskLease::default()), "ran out");
    }

    #[test]
    fn a_long_list_of_related_tasks_is_cut() {
        let all = (0..20).map(|number| RelatedTask {
            name: format!("T-{number}"),
            status: (number == 0).then_some(TaskStatus::Done),
        });
        let line = relatives(&all.collect::<Vec<_>>()).styled();
        let line = anstream::adapter::strip_str(&line).to_string();
        assert!(line.starts_with("T-0 ●, T-1 (does not exist), T-2"), "{line}");
        assert!(line.ends_with("T-11 (does not exist) and 8 more"), "{line}");
    }
}

#[cfg(test)]
mod prose_tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words_and_code_anywhere() {
        let text =
            "one two three\n````sh\nlet  a   = b;\n```\nlet  a   = b;\n````\none two three\n";
        let shown = prose(text, ViewWidth { columns: Some(9) });
        let code = ["let  a   ", "= b;"];
        let expected = [
            &["one two", "three", "````sh"][..],
            &code,
            &["```"],
            &code,
            &["````", "one two", "three"],
        ];
        assert_eq!(shown, expected.concat());
        let whole: Vec<&str> = text.lines().collect();
        assert_eq!(prose(text, ViewWidth { columns: None }), whole);
    }

    #[test]
    fn only_a_valid_fence_begins_and_ends_code() {
        let text = "`` one two\n~~~\none two six\n```\n~~~ x\n~~~\none two six";
        let shown = prose(text, ViewWidth { columns: Some(8) });
        let code = ["one two ", "six", "```", "~~~ x", "~~~"];
        let expected = [&["`` one", "two", "~~~"][..], &code, &["one two", "six"]];
        assert_eq!(shown, expected.concat());
    }
}
