//! The task tab: columns if they fit, else a list.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use typeset::text::shortened;
use unicode_width::UnicodeWidthStr;

use crate::app::run_screen_state::{RunFocus, RunScreenState};
use crate::app::task_groups::{TaskGroup, TaskState, task_groups};
use crate::hit_map::{HitMap, HitTarget};
use crate::run_source::TaskCard;
use crate::theme::{ACCENT, BAD, GOOD, NAME, PLAIN, SELECTED};
use crate::view::screen_row::{ScreenRow, clean, columns, row_at};

/// Minimum width of a task title in columns.
const MIN_COLUMN_WIDTH: usize = 14;
/// Space between two columns.
const GAP_WIDTH: usize = 2;

/// Draws the tasks around the selected one.
pub(crate) fn draw(run: &RunScreenState, area: Rect, buffer: &mut Buffer, hit_map: &mut HitMap) {
    let board = match &run.tasks {
        None => return draw_notice("reading…", area, buffer),
        Some(None) => return draw_notice("this project has no task database", area, buffer),
        Some(Some(Err(why))) => {
            return ScreenRow::new().add(BAD, "✗ ").add_foreign(PLAIN, why).draw(area, buffer);
        }
        Some(Some(Ok(board))) if board.tasks.is_empty() => {
            return draw_notice("there are no tasks", area, buffer);
        }
        Some(Some(Ok(board))) => board,
    };
    let groups = task_groups(board);
    let cells = match column_widths(&groups, usize::from(area.width)) {
        Some(widths) => board_cells(&groups, &widths),
        None => list_cells(&groups, usize::from(area.width)),
    };
    let height = usize::from(area.height);
    let rows = cells.iter().map(|cell| cell.row + 1).max().unwrap_or(0);
    hit_map.pane_rows = (height, rows);
    let selected = run.task_place();
    let row = cells.iter().find(|cell| cell.task.is_some() && cell.task == selected);
    let row = row.map_or(0, |cell| cell.row);
    let first = row.saturating_sub(height / 2).min(rows.saturating_sub(height));
    for cell in &cells {
        let Some(number) = cell.row.checked_sub(first) else { continue };
        let line = row_at(area, number);
        let left = columns(cell.column).min(line.width);
        let width = columns(cell.width).min(line.width - left);
        let at = Rect { x: line.x + left, width, ..line };
        cell.text.draw(at, buffer);
        let Some(task) = cell.task else { continue };
        if run.focus == RunFocus::Pane && selected == Some(task) {
            buffer.set_style(at, SELECTED);
        }
        hit_map.add(at, HitTarget::Task(task));
    }
}

fn draw_notice(text: &str, area: Rect, buffer: &mut Buffer) {
    ScreenRow::new().add(PLAIN, text).draw(area, buffer);
}

/// A title or task at a position.
struct TaskCell {
    row: usize,
    column: usize,
    width: usize,
    text: ScreenRow,
    /// Index of the task in display order; none for a title.
    task: Option<usize>,
}

const fn sign(state: TaskState) -> (&'static str, Style) {
    match state {
        TaskState::InProgress => ("●", ACCENT),
        TaskState::ToDo => ("○", PLAIN),
        TaskState::Blocked => ("✗", BAD),
        TaskState::Done => ("✓", GOOD),
        TaskState::Other => ("·", PLAIN),
    }
}

fn title(group: &TaskGroup<'_>) -> String {
    format!("{} {}", group.state.title(), group.tasks.len())
}

/// Width of a task before its title.
fn prefix_width(task: &TaskCard) -> usize {
    clean(&task.id).width() + 3
}

/// Width at which a column shows everything.
fn needed_width(group: &TaskGroup<'_>) -> usize {
    let needs = group.tasks.iter().map(|task| prefix_width(task) + clean(&task.title).width());
    needs.max().unwrap_or(0).max(title(group).width())
}

/// Width of each column: at most what it needs; missing width is shared by the columns that need
/// more. None if columns do not fit.
fn column_widths(groups: &[TaskGroup<'_>], room: usize) -> Option<Vec<usize>> {
    let least = |group: &TaskGroup<'_>| {
        let titles = group.tasks.iter().map(|task| prefix_width(task) + MIN_COLUMN_WIDTH);
        titles.max().unwrap_or(0).max(title(group).width()).min(needed_width(group))
    };
    let mut room = room.checked_sub(GAP_WIDTH * groups.len().saturating_sub(1))?;
    if groups.iter().map(least).sum::<usize>() > room {
        return None;
    }
    // Columns that need least are assigned first; the others share the rest.
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|place| needed_width(&groups[*place]));
    let mut widths = vec![0; groups.len()];
    for (served, place) in order.iter().enumerate() {
        let others = &order[served + 1..];
        let reserved: usize = others.iter().map(|place| least(&groups[*place])).sum();
        let share = (room / (groups.len() - served)).max(least(&groups[*place]));
        widths[*place] = needed_width(&groups[*place]).min(share).min(room - reserved);
        room -= widths[*place];
    }
    Some(widths)
}

fn board_cells(groups: &[TaskGroup<'_>], widths: &[usize]) -> Vec<TaskCell> {
    let mut cells = Vec::new();
    let (mut column, mut place) = (0, 0);
    for (group, &width) in groups.iter().zip(widths) {
        let text = ScreenRow::new().add(NAME, title(group));
        cells.push(TaskCell { row: 0, column, width, text, task: None });
        for (number, task) in group.tasks.iter().enumerate() {
            let text = task_row(group.state, task, width);
            cells.push(TaskCell { row: number + 1, column, width, text, task: Some(place) });
            place += 1;
        }
        column += width + GAP_WIDTH;
    }
    cells
}

fn list_cells(groups: &[TaskGroup<'_>], width: usize) -> Vec<TaskCell> {
    let mut cells = Vec::new();
    let mut place = 0;
    for group in groups.iter().filter(|group| !group.tasks.is_empty()) {
        let (row, text) = (cells.len(), ScreenRow::new().add(NAME, title(group)));
        cells.push(TaskCell { row, column: 0, width, text, task: None });
        for task in &group.tasks {
            let (row, text) = (cells.len(), task_row(group.state, task, width));
            cells.push(TaskCell { row, column: 0, width, text, task: Some(place) });
            place += 1;
        }
    }
    cells
}

/// A task, with its assignee if that fits.
fn task_row(state: TaskState, task: &TaskCard, width: usize) -> ScreenRow {
    let (sign, style) = sign(state);
    let row = ScreenRow::new()
        .add(style, format!("{sign} "))
        .add(NAME, clean(&task.id))
        .add(PLAIN, format!(" {}", clean(&task.title)));
    let assignee =
        task.assignee.as_deref().map(|assignee| format!("  @{}", shortened(&clean(assignee), 16)));
    match assignee {
        Some(assignee) if row.width() + assignee.width() <= width => row.add(PLAIN, assignee),
        _ => row,
    }
}
