//! The list of runs.

use forkhestra_core::history::ExecutionStatus;
use forkhestra_core::time::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use typeset::text::{folds, shortened};
use unicode_width::UnicodeWidthStr;

use super::labels::{self, age};
use super::screen_row::{ScreenRow, clean, row_at};
use crate::app::App;
use crate::hit_map::{HitMap, HitTarget};
use crate::run_source::{RunListItem, RunScope, StatusOverride};
use crate::theme::{ACCENT, BAD, DIM, NAME, PLAIN, SELECTED};

/// Draws the list above the footer.
pub(crate) fn draw(app: &App, area: Rect, buffer: &mut Buffer, hit_map: &mut HitMap) {
    let list = &app.list;
    let scope = match list.scope {
        RunScope::Here => "of this directory",
        RunScope::Everywhere => "of all directories",
    };
    let title = ScreenRow::new().add(NAME, "Runs").add(PLAIN, format!(" {scope}"));
    let title_place = filter_row(app).draw_right(row_at(area, 0), buffer);
    title.draw(title_place, buffer);
    let shown = list.shown();
    let taken = area.height.min(3);
    let body = Rect { y: area.y + taken, height: area.height - taken, ..area };
    hit_map.list_rows = usize::from(body.height);
    match &list.runs {
        None => return ScreenRow::new().add(PLAIN, "reading…").draw(row_at(area, 2), buffer),
        Some(Err(why)) => {
            return ScreenRow::new()
                .add(BAD, "✗ ")
                .add_foreign(PLAIN, why)
                .draw(row_at(area, 2), buffer);
        }
        Some(Ok(_)) if shown.is_empty() => return empty(app, area, buffer),
        Some(Ok(_)) => {}
    }
    let widths = RunListWidths::of(app, &shown, usize::from(area.width));
    widths.titles().draw(row_at(area, 2), buffer);
    let selected = list.selected_index(&shown);
    let rows = usize::from(body.height);
    let max_first = shown.len().saturating_sub(rows);
    let first = selected.saturating_sub(rows / 2).min(max_first);
    for (number, listed) in shown.iter().enumerate().skip(first).take(rows) {
        let at = row_at(body, number - first);
        widths.row(listed, app.now).draw(at, buffer);
        if number == selected {
            buffer.set_style(at, SELECTED);
        }
        hit_map.add(at, HitTarget::Listed(number));
    }
}

fn filter_row(app: &App) -> ScreenRow {
    let list = &app.list;
    match (list.is_typing, list.filter.is_empty()) {
        (false, true) => ScreenRow::new(),
        (true, _) => {
            ScreenRow::new().add(ACCENT, "/").add_foreign(PLAIN, &list.filter).add(SELECTED, " ")
        }
        (false, false) => ScreenRow::new().add(PLAIN, "only /").add_foreign(PLAIN, &list.filter),
    }
}

/// Hints for an empty list.
fn empty(app: &App, area: Rect, buffer: &mut Buffer) {
    let lines: &[&str] = match (app.list.filter.is_empty(), app.list.scope) {
        (false, _) => &["no run has that in it", "Esc shows all of them again"],
        (true, RunScope::Here) => &[
            "there are no runs of this directory yet",
            "forkhestra 'agent:3 -> other' starts one",
            "forkhestra demo shows what that is like",
            "a shows the runs of all directories",
        ],
        (true, RunScope::Everywhere) => &[
            "there are no runs yet",
            "forkhestra 'agent:3 -> other' starts one",
            "forkhestra demo shows what that is like",
        ],
    };
    let styles = std::iter::once(NAME).chain(std::iter::repeat(PLAIN));
    let fold = |(line, style): (&&str, Style)| {
        let parts = folds(line, usize::from(area.width)).into_iter();
        parts.map(|part| ScreenRow::new().add(style, &line[part])).collect::<Vec<_>>()
    };
    let rows = lines.iter().zip(styles).flat_map(fold);
    rows.enumerate().for_each(|(number, row)| row.draw(row_at(area, 2 + number), buffer));
}

/// The end of a path, which is more significant than its beginning.
fn end_of(path: &str, room: usize) -> String {
    if path.width() <= room {
        return path.to_owned();
    }
    let fits = |end: &&str| end.width() < room;
    let whole = path.match_indices('/').map(|(start, _)| &path[start..]).find(fits);
    let any = || path.char_indices().map(|(start, _)| &path[start..]).find(fits);
    whole.or_else(any).map(|end| format!("…{end}")).unwrap_or_default()
}

/// Column widths; a column that does not fit has width 0.
struct RunListWidths {
    chain: usize,
    step: usize,
    iterations: usize,
    cost: usize,
    age: usize,
    directory: usize,
}

/// Width of the status with its sign.
const STATUS_WIDTH: usize = 17;
const ID_WIDTH: usize = 9;

impl RunListWidths {
    /// Distributes the width; the least important columns are dropped first.
    fn of(app: &App, shown: &[&RunListItem], room: usize) -> Self {
        let has_cost = shown.iter().any(|run| run.spend.is_some());
        let wants_directory = app.list.scope == RunScope::Everywhere;
        let mut left = room.saturating_sub(STATUS_WIDTH + ID_WIDTH);
        let mut take = |wanted: usize, is_wanted: bool| {
            let gets = if is_wanted && left >= wanted + 12 { wanted } else { 0 };
            left -= gets;
            gets
        };
        let age = take(5, true);
        let step = take(6, true);
        let iterations = take(6, true);
        let cost = take(9, has_cost);
        let half = left / 2;
        let directory = if wants_directory && half >= 12 { half.min(40) } else { 0 };
        let left = left - directory;
        Self { chain: left, step, iterations, cost, age, directory }
    }

    fn titles(&self) -> ScreenRow {
        let titles = ["status", "id", "chain", "step", "iter", "cost", "age", "directory"];
        self.cells(titles.map(str::to_owned))
            .into_iter()
            .fold(ScreenRow::new(), |row, cell| row.add(DIM, cell))
    }

    fn row(&self, listed: &RunListItem, now: Timestamp) -> ScreenRow {
        let (sign, style, mut word) = labels::run_status(listed.status_override, listed.status);
        if let Some(StatusOverride::Asking(since)) = listed.status_override {
            word = format!("{word} {}", age(now.saturating_since(since)));
        }
        let since =
            if listed.status == ExecutionStatus::Running { listed.started } else { listed.updated };
        let (step, steps) = listed.step;
        let cells = self.cells([
            format!("{sign} {word}"),
            listed.run.to_string(),
            clean(&listed.chain),
            format!("{step}/{steps}"),
            listed.iterations.to_string(),
            listed.spend.as_ref().map(labels::cost).unwrap_or_default(),
            age(now.saturating_since(since)),
            end_of(&clean(&listed.directory), self.directory.saturating_sub(1)),
        ]);
        let styles = [style, PLAIN, NAME, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN];
        cells
            .into_iter()
            .zip(styles)
            .fold(ScreenRow::new(), |row, (cell, style)| row.add(style, cell))
    }

    fn cells(&self, texts: [String; 8]) -> [String; 8] {
        let widths = [
            STATUS_WIDTH,
            ID_WIDTH,
            self.chain,
            self.step,
            self.iterations,
            self.cost,
            self.age,
            self.directory,
        ];
        let mut widths = widths.into_iter();
        texts.map(|text| {
            let width = widths.next().unwrap_or(0);
            let text = shortened(&text, width.saturating_sub(1));
            let rest = width.saturating_sub(text.width());
            format!("{text}{}", " ".repeat(rest))
        })
    }
}
