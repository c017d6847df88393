//! Checks of an iteration.

use forkhestra_core::event::{CheckOutcome, CheckReport};
use ratatui::style::Style;
use typeset::text::{folds, visible_lines};

use crate::app::run_screen_state::RunScreenState;
use crate::theme::{BAD, DIM, GOOD, NAME, PLAIN, WARNING};
use crate::view::labels::{duration_text, plain_word};
use crate::view::screen_row::{ScreenRow, clean};

/// The checks with their messages and output.
pub(crate) fn rows(run: &RunScreenState, columns: usize) -> Vec<ScreenRow> {
    let checks = run.checks();
    let mut rows = Vec::new();
    for check in checks {
        if !rows.is_empty() {
            rows.push(ScreenRow::new());
        }
        rows.extend(check_rows(check, columns));
    }
    if rows.is_empty() {
        rows.push(ScreenRow::new().add(PLAIN, no_checks_reason(run)));
    }
    rows.extend(planned(run, checks.len()));
    rows
}

/// Why there are no checks to show.
fn no_checks_reason(run: &RunScreenState) -> &'static str {
    let has_checks = step_checks(run) > 0;
    match run.entry() {
        None => "no iteration is over yet",
        Some(_) if has_checks => "nothing has been checked in this iteration",
        Some(_) => "this step has no checks",
    }
}

fn step_checks(run: &RunScreenState) -> usize {
    let history = run.history.as_ref();
    let step = history.and_then(|history| history.state.plan.steps.get(run.step() - 1));
    step.map_or(0, |step| step.checks.len())
}

/// Checks that have not run.
fn planned(run: &RunScreenState, done: usize) -> Vec<ScreenRow> {
    let history = run.history.as_ref();
    let step = history.and_then(|history| history.state.plan.steps.get(run.step() - 1));
    let left = step.map(|step| step.checks.iter().skip(done)).into_iter().flatten();
    let row = |name: String| ScreenRow::new().add(PLAIN, format!("○ {}", clean(&name)));
    left.map(|check| row(check.value.display_name())).collect()
}

const fn sign(outcome: CheckOutcome) -> (&'static str, Style) {
    match outcome {
        CheckOutcome::Passed => ("✓", GOOD),
        CheckOutcome::Failed => ("✗", BAD),
        CheckOutcome::TimedOut => ("▲", WARNING),
        CheckOutcome::NotRun => ("○", WARNING),
    }
}

pub(crate) fn check_rows(check: &CheckReport, columns: usize) -> Vec<ScreenRow> {
    let (sign, style) = sign(check.outcome);
    let head = ScreenRow::new()
        .add(style, format!("{sign} "))
        .add_foreign(NAME, &check.name)
        .add(PLAIN, format!("  {}  ", duration_text(check.duration)))
        .add(PLAIN, plain_word(check.outcome.as_str()));
    let message = check.message.iter().flat_map(|message| wrapped(&clean(message), columns, PLAIN));
    let tail = check.tail.iter().flat_map(|tail| visible_lines(tail));
    let tail: Vec<ScreenRow> = tail.flat_map(|line| quoted(&line, columns)).collect();
    std::iter::once(head).chain(message).chain(tail).collect()
}

/// A text wrapped into indented rows.
pub(crate) fn wrapped(text: &str, columns: usize, style: Style) -> Vec<ScreenRow> {
    let parts = folds(text, columns.saturating_sub(2));
    parts
        .into_iter()
        .map(|part| ScreenRow::new().add(style, format!("  {}", &text[part])))
        .collect()
}

/// A line of a check's output.
fn quoted(line: &str, columns: usize) -> Vec<ScreenRow> {
    let parts = crate::app::wrapping::breaks(line, columns.saturating_sub(4));
    let row =
        |part: std::ops::Range<usize>| ScreenRow::new().add(DIM, "  │ ").add(PLAIN, &line[part]);
    parts.into_iter().map(row).collect()
}
