//! The timeline: one row per iteration.

use forkhestra_core::cost::Spend;
use forkhestra_core::event::TaskChanges;
use forkhestra_core::history::{IterationRecord, RunHistory, UnfinishedAgent};
use forkhestra_core::id::UnitId;
use forkhestra_core::time::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app::run_screen_state::{RunFocus, RunScreenState};
use crate::app::timeline::{self, TimelineEntry};
use crate::hit_map::{HitMap, HitTarget};
use crate::theme::{ACCENT, DIM, PLAIN, SELECTED};
use crate::view::labels::{self, clock, duration_text};
use crate::view::screen_row::{ScreenRow, clean, row_at};

/// Minimum height for a legend below the list.
const MIN_ROWS_FOR_LEGEND: u16 = 10;
/// Maximum number of legend rows.
const MAX_LEGEND_ROWS: usize = 2;
/// Columns before the text of an iteration, without the cost.
const PREFIX_WIDTH: usize = 18;
/// Width of the cost column.
const COST_WIDTH: usize = 9;
/// The cost column is dropped if less than this is left for the text.
const MIN_TEXT_WIDTH: usize = 16;

/// Layout shared by all rows.
struct TimelineLayout {
    /// Whether numbers include the step.
    has_steps: bool,
    has_cost: bool,
}

impl TimelineLayout {
    fn of(run: &RunScreenState, history: &RunHistory, width: u16) -> Self {
        let room = usize::from(width).saturating_sub(PREFIX_WIDTH + COST_WIDTH);
        let has_room = room >= MIN_TEXT_WIDTH || !has_texts(run);
        Self { has_steps: history.steps.len() > 1, has_cost: run.spend.is_some() && has_room }
    }

    /// The cost column: blank if the cost is unknown; no column if all are unknown.
    fn cost(&self, spend: Option<&Spend>) -> String {
        match self.has_cost {
            true => format!(" {:>8}", spend.map(labels::cost).unwrap_or_default()),
            false => String::new(),
        }
    }
}

/// The tasks that an iteration worked on: `TASK-003 +1`.
fn task_ids(record: &IterationRecord) -> String {
    let tasks = record.tasks.as_ref();
    let mut ids = tasks.into_iter().flat_map(TaskChanges::worked_on);
    let Some(first) = ids.next() else { return String::new() };
    match ids.count() {
        0 => clean(first),
        more => format!("{} +{more}", clean(first)),
    }
}

/// Whether tasks or commits of iterations are known.
pub(crate) fn has_texts(run: &RunScreenState) -> bool {
    let mut changes = run.changes.values().flatten();
    run.task_progress().is_some() || changes.any(|changes| !changes.commits.is_empty())
}

/// Draws the iterations around the selected one and the legend below them.
pub(crate) fn draw(
    run: &RunScreenState,
    history: &RunHistory,
    now: Timestamp,
    area: Rect,
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    hit_map.add(area, HitTarget::Timeline);
    let legend = if area.height >= MIN_ROWS_FOR_LEGEND { legend(area.width) } else { Vec::new() };
    let list =
        Rect { height: area.height - crate::view::screen_row::columns(legend.len()), ..area };
    for (number, row) in legend.iter().enumerate() {
        row.draw(row_at(area, usize::from(list.height) + number), buffer);
    }
    let rows = usize::from(list.height);
    hit_map.list_rows = rows;
    let selected = run.selected().unwrap_or(0);
    if timeline::len(history) == 0 {
        ScreenRow::new().add(PLAIN, " none yet").draw(list, buffer);
    }
    // The selected row is in the middle, except near both ends of the list.
    let max_first = timeline::len(history).saturating_sub(rows);
    let first = selected.saturating_sub(rows / 2).min(max_first);
    let layout = TimelineLayout::of(run, history, area.width);
    for number in 0..rows {
        let Some(entry) = timeline::get(history, first + number) else { break };
        let at = row_at(list, number);
        entry_row(run, entry, &layout, now).draw(at, buffer);
        if first + number == selected {
            mark(run, at, buffer);
        }
        hit_map.add(at, HitTarget::Iteration(first + number));
    }
}

/// The legend, in two rows if one is too narrow.
fn legend(width: u16) -> Vec<ScreenRow> {
    let parts = ["Δ changed", "= same", "✗ failed", "· continued", "▲ refused"];
    let mut lines = vec![String::new()];
    for part in parts {
        let last = lines.last().map(String::as_str).unwrap_or_default();
        let gap = if last.is_empty() { " " } else { "  " };
        let longer = format!("{last}{gap}{part}");
        if longer.chars().count() <= usize::from(width) {
            lines.pop();
            lines.push(longer);
        } else if lines.len() < MAX_LEGEND_ROWS {
            lines.push(format!(" {part}"));
        }
    }
    lines.into_iter().map(|text| ScreenRow::new().add(DIM, text)).collect()
}

/// Marks the selected row, more strongly if the timeline has the focus.
fn mark(run: &RunScreenState, at: Rect, buffer: &mut Buffer) {
    if run.focus == RunFocus::Timeline {
        buffer.set_style(at, SELECTED);
    } else {
        ScreenRow::new().add(ACCENT, "▌").draw(at, buffer);
    }
}

fn entry_row(
    run: &RunScreenState,
    entry: TimelineEntry<'_>,
    layout: &TimelineLayout,
    now: Timestamp,
) -> ScreenRow {
    let (sign, style) = entry_sign(run, entry);
    let start = ScreenRow::new()
        .add(style, format!(" {sign} "))
        .add(PLAIN, format!("{:<5}", number(entry.unit(), layout.has_steps)));
    match entry {
        TimelineEntry::Over { record, tree_changed: changed } => {
            start.join(finished_row(run, record, changed, layout))
        }
        TimelineEntry::AtWork(work) => start.join(running_row(run, work, layout, now)),
    }
}

/// The sign of an iteration.
pub(crate) fn entry_sign(run: &RunScreenState, entry: TimelineEntry<'_>) -> (&'static str, Style) {
    match entry {
        TimelineEntry::Over { record, .. } => labels::verdict(&record.report.verdict),
        TimelineEntry::AtWork(_) if !run.is_live() => ("↻", PLAIN),
        TimelineEntry::AtWork(_) if run.paused().is_some() => ("‖", ACCENT),
        TimelineEntry::AtWork(UnfinishedAgent { gone: Some(_), .. }) => ("◐", ACCENT),
        TimelineEntry::AtWork(UnfinishedAgent { gone: None, .. }) => ("●", ACCENT),
    }
}

/// `4`, `2.4` in a chain, and the attempt number from the second on.
pub(crate) fn number(unit: UnitId, has_steps: bool) -> String {
    let UnitId { step, iteration, attempt } = unit;
    let step = if has_steps { format!("{step}.") } else { String::new() };
    let again = if attempt > 1 { format!("/{attempt}") } else { String::new() };
    format!("{step}{iteration}{again}")
}

fn finished_row(
    run: &RunScreenState,
    record: &IterationRecord,
    changed: Option<bool>,
    layout: &TimelineLayout,
) -> ScreenRow {
    let change = match changed {
        Some(true) => "Δ",
        Some(false) => "=",
        None => " ",
    };
    let cost = layout.cost(record.report.spend.as_ref());
    ScreenRow::new()
        .add(PLAIN, format!("{:>7}{cost} {change} ", duration_text(record.report.duration)))
        .add(PLAIN, text(run, record))
}

/// The subject of an iteration: its task, then the failure or else the last commit.
fn text(run: &RunScreenState, record: &IterationRecord) -> String {
    let note = labels::outcome_note(record);
    let changes = run.changes.get(&record.unit).and_then(|changes| changes.as_ref().ok());
    let commit = changes.and_then(|changes| changes.commits.last());
    let commit = commit.map(|commit| clean(&commit.subject)).unwrap_or_default();
    let rest = if note.is_empty() { commit } else { note };
    let ids = task_ids(record);
    let is_said = |id: &str| !id.is_empty() && rest.contains(id);
    // The task id is left out if the subject contains it.
    if is_said(&ids) { rest } else { format!("{ids} {rest}").trim().to_owned() }
}

fn running_row(
    run: &RunScreenState,
    work: &UnfinishedAgent,
    layout: &TimelineLayout,
    now: Timestamp,
) -> ScreenRow {
    if !run.is_live() {
        return ScreenRow::new().add(PLAIN, "cut off");
    }
    let history = run.history.as_ref();
    let state = history.and_then(|history| history.state.steps.get(work.unit.step - 1));
    let spending = state.and_then(|state| state.spending.as_ref());
    let cost = layout.cost(spending);
    let took = clock(run.agent_elapsed(work, now));
    let current = run.task_progress().and_then(|progress| progress.current);
    let task = current.map(|task| format!("{} {}", clean(&task.id), clean(&task.title)));
    ScreenRow::new().add(PLAIN, format!("{took:>7}{cost}   ")).add(PLAIN, task.unwrap_or_default())
}
