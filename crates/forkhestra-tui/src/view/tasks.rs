//! The tasks of the project: columns where there is room, a list where there is not.

use ratatui::style::Style;
use typeset::text::shortened;
use unicode_width::UnicodeWidthStr;

use super::row::{Row, clean};
use crate::app::run_view::RunView;
use crate::theme::{ACCENT, BAD, DIM, GOOD, NAME, PLAIN};
use crate::world::{TaskBoard, TaskCard};

/// A column of a board is not narrower than this.
const NARROWEST: usize = 18;

/// The columns, and the statuses that belong into each.
const COLUMNS: [(&str, &str, Style); 4] = [
    ("To Do", "○", PLAIN),
    ("In Progress", "●", ACCENT),
    ("Blocked", "✗", BAD),
    ("Done", "✓", GOOD),
];

/// The tasks.
pub(crate) fn rows(run: &RunView, columns: usize) -> Vec<Row> {
    let said = |text: &str| vec![Row::new().add(DIM, text)];
    match &run.tasks {
        None => said("reading…"),
        Some(None) => said("this project has no task database"),
        Some(Some(Err(why))) => vec![Row::new().add_foreign(BAD, why)],
        Some(Some(Ok(board))) if board.tasks.is_empty() => said("there are no tasks"),
        Some(Some(Ok(board))) => {
            let groups = groups(board);
            let width = columns / groups.len().max(1);
            if width >= NARROWEST { side_by_side(&groups, width) } else { listed(&groups) }
        }
    }
}

/// How many tasks are done, of how many.
pub(crate) fn done(run: &RunView) -> Option<(usize, usize)> {
    let board = run.tasks.as_ref()?.as_ref()?.as_ref().ok()?;
    let done = board.tasks.iter().filter(|task| task.status == "Done").count();
    Some((done, board.tasks.len()))
}

struct Group<'a> {
    title: String,
    sign: &'static str,
    style: Style,
    tasks: Vec<&'a TaskCard>,
}

/// The tasks by their statuses, those that we do not know last.
fn groups(board: &TaskBoard) -> Vec<Group<'_>> {
    let of = |status: &str| board.tasks.iter().filter(|task| task.status == status).collect();
    let known = COLUMNS.map(|(title, sign, style)| Group {
        title: title.to_owned(),
        sign,
        style,
        tasks: of(title),
    });
    // A column is there for what usually happens to a task, and for the rest only if it does.
    let is_shown = |group: &Group<'_>| group.title != "Blocked" || !group.tasks.is_empty();
    let is_known = |task: &&TaskCard| COLUMNS.iter().any(|(title, ..)| *title == task.status);
    let others: Vec<&TaskCard> = board.tasks.iter().filter(|task| !is_known(task)).collect();
    let others = (!others.is_empty()).then(|| Group {
        title: "Other".to_owned(),
        sign: "·",
        style: PLAIN,
        tasks: others,
    });
    known.into_iter().filter(is_shown).chain(others).collect()
}

fn title(group: &Group<'_>) -> String {
    format!("{} {}", group.title, group.tasks.len())
}

fn listed(groups: &[Group<'_>]) -> Vec<Row> {
    let mut rows = Vec::new();
    for group in groups.iter().filter(|group| !group.tasks.is_empty()) {
        rows.push(Row::new().add(NAME, title(group)));
        for task in &group.tasks {
            let who = task.assignee.as_deref().map(|who| format!("  @{}", clean(who)));
            let row = Row::new()
                .add(group.style, format!("  {} ", group.sign))
                .add(DIM, format!("{} ", clean(&task.id)))
                .add_foreign(PLAIN, &task.title)
                .add(DIM, who.unwrap_or_default());
            rows.push(row);
        }
    }
    rows
}

fn side_by_side(groups: &[Group<'_>], width: usize) -> Vec<Row> {
    let heads = groups.iter().map(|group| cell(&title(group), width));
    let head = heads.fold(Row::new(), |row, cell| row.add(NAME, cell));
    let most = groups.iter().map(|group| group.tasks.len()).max().unwrap_or(0);
    let line = |number: usize| {
        groups.iter().fold(Row::new(), |row, group| match group.tasks.get(number) {
            Some(task) => {
                let id = format!("{} ", clean(&task.id));
                let room = width.saturating_sub(id.width() + 2);
                row.add(group.style, format!("{} ", group.sign))
                    .add(DIM, id)
                    .add(PLAIN, cell(&clean(&task.title), room))
            }
            None => row.add(PLAIN, " ".repeat(width)),
        })
    };
    std::iter::once(head).chain((0..most).map(line)).collect()
}

/// A text that takes exactly so many columns, the last of which is blank.
fn cell(text: &str, width: usize) -> String {
    let text = shortened(text, width.saturating_sub(1));
    let rest = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(rest))
}
