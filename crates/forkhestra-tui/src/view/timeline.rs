//! The iterations, one below the other, and what each of them came to.

use forkhestra_core::cost::Spend;
use forkhestra_core::history::{AtWork, History, IterationRecord};
use forkhestra_core::id::UnitId;
use forkhestra_core::time::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::row::{Row, columns, row_at};
use super::spark::sparkline;
use super::words::{self, clock, spoken};
use crate::app::run_view::{Focus, RunView};
use crate::app::timeline::{self, Entry};
use crate::hits::{Hits, Target};
use crate::theme::{ACCENT, DIM, PLAIN, SELECTED};

/// A list shorter than this has no room for anything below it.
const ROOM_FOR_SPARKS: u16 = 12;

/// Draws the iterations around the one that is looked at, and below them what they cost.
pub(crate) fn draw(
    run: &RunView,
    history: &History,
    now: Timestamp,
    place: Rect,
    buffer: &mut Buffer,
    hits: &mut Hits,
) {
    hits.add(place, Target::Timeline);
    let sparks = sparks(history, usize::from(place.width));
    let taken = if place.height >= ROOM_FOR_SPARKS { columns(sparks.len()) } else { 0 };
    let list = Rect { height: place.height - taken, ..place };
    for (number, spark) in sparks.iter().enumerate().take(usize::from(taken)) {
        spark.draw(row_at(place, usize::from(list.height) + number), buffer);
    }
    let rows = usize::from(list.height);
    hits.list_rows = rows;
    let selected = run.selected().unwrap_or(0);
    if timeline::len(history) == 0 {
        Row::new().add(DIM, " none yet").draw(list, buffer);
    }
    // The one that is looked at is in the middle, but no row is wasted at the ends.
    let most = timeline::len(history).saturating_sub(rows);
    let first = selected.saturating_sub(rows / 2).min(most);
    let has_steps = history.steps.len() > 1;
    for number in 0..rows {
        let Some(entry) = timeline::get(history, first + number) else { break };
        let at = row_at(list, number);
        entry_row(run, entry, has_steps, now).draw(at, buffer);
        if first + number == selected {
            mark(run, at, buffer);
        }
        hits.add(at, Target::Iteration(first + number));
    }
}

/// The row that is looked at stands out, and more so if the keys go there.
fn mark(run: &RunView, at: Rect, buffer: &mut Buffer) {
    if run.focus == Focus::Timeline {
        buffer.set_style(at, SELECTED);
    } else {
        Row::new().add(ACCENT, "▌").draw(at, buffer);
    }
}

fn entry_row(run: &RunView, entry: Entry<'_>, has_steps: bool, now: Timestamp) -> Row {
    let (sign, style) = match entry {
        Entry::Over { record, .. } => words::verdict(&record.report.verdict),
        Entry::AtWork(work) => at_work_sign(run, work),
    };
    let start =
        Row::new().add(style, format!(" {sign} ")).add(PLAIN, number(entry.unit(), has_steps));
    match entry {
        Entry::Over { record, changed } => start.join(over(run, record, changed, style)),
        Entry::AtWork(work) => start.join(at_work(run, work, now)),
    }
}

fn at_work_sign(run: &RunView, work: &AtWork) -> (&'static str, Style) {
    match work {
        _ if !run.is_live() => ("↻", DIM),
        _ if run.paused().is_some() => ("‖", ACCENT),
        AtWork { gone: Some(_), .. } => ("◐", ACCENT),
        AtWork { gone: None, .. } => ("●", ACCENT),
    }
}

/// `4`, `2.4` in a chain, and the number of the try from the second on.
fn number(unit: UnitId, has_steps: bool) -> String {
    let UnitId { step, iteration, attempt } = unit;
    let step = if has_steps { format!("{step}.") } else { String::new() };
    let again = if attempt > 1 { format!("/{attempt}") } else { String::new() };
    format!("{:<5}", format!("{step}{iteration}{again}"))
}

/// Where nobody can tell what anything cost there is no place for it.
fn cost_cell(run: &RunView, spend: Option<&Spend>) -> String {
    match run.spend {
        Some(_) => format!(" {:>6}", spend.map(words::short_cost).unwrap_or_default()),
        None => String::new(),
    }
}

fn over(run: &RunView, record: &IterationRecord, changed: Option<bool>, style: Style) -> Row {
    let cost = cost_cell(run, record.report.spend.as_ref());
    let change = match changed {
        Some(true) => "Δ",
        Some(false) => "=",
        None => " ",
    };
    Row::new()
        .add(PLAIN, format!("{:>8}", spoken(record.report.duration)))
        .add(DIM, format!("{cost} {change} "))
        .add(style, words::note(record))
}

fn at_work(run: &RunView, work: &AtWork, now: Timestamp) -> Row {
    if !run.is_live() {
        return Row::new().add(DIM, "cut off");
    }
    let history = run.history.as_ref();
    let state = history.and_then(|history| history.state.steps.get(work.unit.step - 1));
    let spending = state.and_then(|state| state.spending.as_ref());
    let cost = cost_cell(run, spending);
    Row::new()
        .add(PLAIN, format!("{:>8}", clock(run.at_work_for(work.unit.step, now))))
        .add(DIM, cost)
}

/// What the last iterations cost, and how many tokens they took, if anybody can tell.
pub(crate) fn sparks(history: &History, room: usize) -> Vec<Row> {
    const LABELS: usize = 21;
    let room = room.saturating_sub(LABELS).min(120);
    let records = history.steps.iter().rev().flat_map(|step| step.iterations.iter().rev());
    let spent = records.take(room).filter_map(|record| record.report.spend.as_ref());
    let mut last: Vec<(u64, u64)> =
        spent.map(|spend| (spend.dollars.nanos(), spend.tokens.total())).collect();
    last.reverse();
    if last.len() < 2 {
        return Vec::new();
    }
    let (costs, tokens): (Vec<u64>, Vec<u64>) = last.into_iter().unzip();
    let most = |values: &[u64]| values.iter().copied().max().unwrap_or(0);
    let dollars = forkhestra_core::cost::Dollars::from_nanos(most(&costs));
    let labels = [dollars.to_string(), words::tokens(most(&tokens))];
    let rows = [("cost", costs), ("tokens", tokens)].into_iter().zip(labels);
    let has_some = |((_, values), _): &((&str, Vec<u64>), String)| most(values) > 0;
    let row = |((name, values), label): ((&str, Vec<u64>), String)| {
        Row::new()
            .add(DIM, format!(" {name:<6} "))
            .add(ACCENT, sparkline(&values))
            .add(DIM, format!(" max {label}"))
    };
    rows.filter(has_some).map(row).collect()
}
