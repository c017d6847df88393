//! Bars that show how much of each limit is used.

use forkhestra_core::limit::Limit;
use forkhestra_core::time::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;

use crate::app::run_screen_state::RunScreenState;
use crate::theme::{ACCENT, BAD, DIM, PLAIN, WARNING};
use crate::view::labels::{self, clock};
use crate::view::screen_row::ScreenRow;

/// A limited quantity.
struct LimitBar {
    label: &'static str,
    /// Used part from 0 to 1; none without a limit.
    part: Option<f64>,
    value: String,
}

/// Draws the bars side by side.
pub(crate) fn draw(run: &RunScreenState, now: Timestamp, area: Rect, buffer: &mut Buffer) {
    let bars = bars(run, now);
    if bars.is_empty() {
        return;
    }
    let places =
        Layout::horizontal(bars.iter().map(|_| Constraint::Fill(1))).spacing(3).split(area);
    for (bar, area) in bars.iter().zip(places.iter()) {
        row(bar, usize::from(area.width)).draw(*area, buffer);
    }
}

/// The bars one below the other.
pub(crate) fn rows(run: &RunScreenState, now: Timestamp, columns: usize) -> Vec<ScreenRow> {
    bars(run, now).iter().map(|bar| row(bar, columns.min(60))).collect()
}

fn row(bar: &LimitBar, columns: usize) -> ScreenRow {
    let start = ScreenRow::new().add(PLAIN, format!("{} ", bar.label));
    let value = ScreenRow::new().add(PLAIN, bar.value.clone());
    let Some(part) = bar.part else { return start.join(value) };
    let room = columns.saturating_sub(start.width() + value.width() + 1);
    if room < 4 {
        return start.join(value);
    }
    start.join(meter(part, room, style(part))).add(PLAIN, " ").join(value)
}

/// A bar of `room` columns, filled to `part`.
pub(crate) fn meter(part: f64, room: usize, style: Style) -> ScreenRow {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a part of the columns of a screen"
    )]
    let full = ((part.clamp(0.0, 1.0) * room as f64).round() as usize).min(room);
    ScreenRow::new().add(style, "━".repeat(full)).add(DIM, "─".repeat(room - full))
}

const fn style(part: f64) -> Style {
    match part {
        1.0.. => BAD,
        0.8..1.0 => WARNING,
        _ => ACCENT,
    }
}

fn bars(run: &RunScreenState, now: Timestamp) -> Vec<LimitBar> {
    let Some(history) = &run.history else { return Vec::new() };
    let plan = &history.state.plan;
    let number = history.current_step().unwrap_or(1);
    let step = plan.steps.get(number - 1);
    let state = history.state.steps.get(number - 1);
    let finished = history.step_iterations_in_round(number);
    let iterations = step.and_then(|step| step.iterations).map(|max_iterations| LimitBar {
        label: "loop",
        part: Some(f64::from(finished) / f64::from(max_iterations.get())),
        value: format!("{finished}/{max_iterations}"),
    });
    let step_cost = step.map_or(Limit::Off, |step| step.limits.cost.value);
    let (cost_limit, spend) = match (plan.limits.cost.value, step_cost) {
        (Limit::Off, Limit::At(_)) => (step_cost, Some(history.state.spend_of(number))),
        (limit, _) => (limit, run.spend),
    };
    let cost = spend.map(|spend| LimitBar {
        label: "cost",
        part: part_of(cost_limit, |limit| {
            fraction(u128::from(spend.dollars.nanos()), limit.nanos())
        }),
        value: with_limit(labels::cost(&spend), cost_limit),
    });
    let elapsed = run.elapsed(now);
    let step_time = step.map_or(Limit::Off, |step| step.limits.time.value);
    let (time_limit, took) = match (plan.limits.time.value, step_time) {
        (Limit::Off, Limit::At(_)) => {
            let more = elapsed.saturating_sub(history.state.elapsed);
            (step_time, state.map_or(elapsed, |state| state.elapsed + more))
        }
        (limit, _) => (limit, elapsed),
    };
    let time = LimitBar {
        label: "time",
        part: part_of(time_limit, |limit| fraction(took.as_millis(), limit.duration().as_millis())),
        value: match time_limit {
            Limit::At(limit) => format!("{}/{limit}", clock(took)),
            Limit::Off => clock(took),
        },
    };
    [iterations, cost, Some(time)].into_iter().flatten().collect()
}

fn with_limit<T: std::fmt::Display>(value: String, limit: Limit<T>) -> String {
    match limit {
        Limit::At(limit) => format!("{value}/{limit}"),
        Limit::Off => value,
    }
}

fn part_of<T>(limit: Limit<T>, part: impl Fn(T) -> f64) -> Option<f64> {
    match limit {
        Limit::At(limit) => Some(part(limit)),
        Limit::Off => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a bar has few columns")]
fn fraction(part: u128, whole: u128) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
