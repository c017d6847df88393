//! The open question, operator messages, warnings and failed hooks.

use forkhestra_core::history::MessageRecord;
use typeset::text::visible_lines;

use crate::app::local_clock::LocalClock;
use crate::app::run_screen_state::RunScreenState;
use crate::theme::{ACCENT, BAD, GOOD, NAME, PLAIN, WARNING};
use crate::view::detail::checks::wrapped;
use crate::view::screen_row::{ScreenRow, clean};

/// Maximum number of each, newest first.
const MAX_MESSAGES: usize = 100;

/// The open question, then messages, then warnings, then failed hooks.
pub(crate) fn rows(run: &RunScreenState, clock: LocalClock<'_>, columns: usize) -> Vec<ScreenRow> {
    let mut rows = Vec::new();
    for why in run.trouble.iter().chain(&run.misfit) {
        rows.push(ScreenRow::new().add(BAD, "✗"));
        rows.extend(wrapped(&clean(why), columns, PLAIN));
    }
    if let Some(question) = run.question() {
        let what = if question.text.is_some() { ":" } else { " for approval" };
        let asks = format!("Step {} asks{what}", question.step);
        rows.push(ScreenRow::new().add(WARNING, "? ").add(NAME, asks));
        let lines = visible_lines(question.text.unwrap_or_default());
        rows.extend(lines.iter().flat_map(|line| wrapped(line, columns, PLAIN)));
    }
    for record in run.messages().iter().rev().take(MAX_MESSAGES) {
        rows.extend(message(record, clock, columns));
    }
    let Some(history) = &run.history else { return rows };
    if !history.warnings.is_empty() {
        rows.push(ScreenRow::new().add(NAME, "Warnings"));
    }
    for (at, warning) in history.warnings.iter().rev().take(MAX_MESSAGES) {
        rows.push(ScreenRow::new().add(WARNING, "▲ ").add(PLAIN, clock.time(*at)));
        rows.extend(wrapped(&clean(warning), columns, PLAIN));
    }
    if !history.failed_hooks.is_empty() {
        rows.push(ScreenRow::new().add(NAME, "Hooks that failed"));
    }
    for hook in history.failed_hooks.iter().rev().take(MAX_MESSAGES) {
        let command = history.state.plan.hook(hook.number);
        let command = command.map(|hook| clean(&hook.run)).unwrap_or_default();
        let point = hook.moment.point.to_string();
        rows.push(
            ScreenRow::new().add(BAD, "✗ ").add(PLAIN, format!("{point}  ")).add(PLAIN, command),
        );
        let why = hook.failure.as_deref().unwrap_or_default();
        rows.extend(wrapped(&clean(why), columns, PLAIN));
    }
    if rows.is_empty() {
        let hint = if run.is_live() { "; press t to tell the next agent something" } else { "" };
        let expected_text = format!("no messages and no warnings{hint}");
        let parts = typeset::text::folds(&expected_text, columns);
        rows.extend(
            parts.into_iter().map(|part| ScreenRow::new().add(PLAIN, &expected_text[part])),
        );
    }
    rows
}

fn message(record: &MessageRecord, clock: LocalClock<'_>, columns: usize) -> Vec<ScreenRow> {
    let head = ScreenRow::new()
        .add(NAME, format!("Message {}", record.number))
        .add(PLAIN, format!("  {}  ", clock.time(record.at)));
    let head = match record.given {
        Some(unit) => {
            let to = format!("given to iteration {} of step {}", unit.iteration, unit.step);
            head.add(GOOD, "✓ ").add(PLAIN, to)
        }
        None => head.add(ACCENT, "◐ ").add(PLAIN, "waits for the next agent"),
    };
    let text = visible_lines(&record.text);
    let text = text.iter().flat_map(|line| wrapped(line, columns, PLAIN));
    std::iter::once(head).chain(text).collect()
}
